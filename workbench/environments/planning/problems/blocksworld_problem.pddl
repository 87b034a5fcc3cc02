; Five blocks in two towers: a on b on c, and d on e.
(define (problem two-towers)
  (:domain blocksworld)
  (:objects a b c d e - block)
  (:init (on a b) (on b c) (on-table c) (clear a)
         (on d e) (on-table e) (clear d)
         (arm-empty))
  (:goal (and (on c d) (on d a) (on a e))))
