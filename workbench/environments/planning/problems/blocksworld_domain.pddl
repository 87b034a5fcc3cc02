; Blocks on a table and an arm that holds one block at a time.
(define (domain blocksworld)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?above - block ?below - block)
    (on-table ?block - block)
    (clear ?block - block)
    (holding ?block - block)
    (arm-empty))
  (:action pick-up
    :parameters (?block - block)
    :precondition (and (clear ?block) (on-table ?block) (arm-empty))
    :effect (and (holding ?block)
                 (not (clear ?block)) (not (on-table ?block)) (not (arm-empty))))
  (:action put-down
    :parameters (?block - block)
    :precondition (holding ?block)
    :effect (and (on-table ?block) (clear ?block) (arm-empty) (not (holding ?block))))
  (:action unstack
    :parameters (?block - block ?from - block)
    :precondition (and (on ?block ?from) (clear ?block) (arm-empty))
    :effect (and (holding ?block) (clear ?from)
                 (not (on ?block ?from)) (not (clear ?block)) (not (arm-empty))))
  (:action stack
    :parameters (?block - block ?onto - block)
    :precondition (and (holding ?block) (clear ?onto))
    :effect (and (on ?block ?onto) (clear ?block) (arm-empty)
                 (not (holding ?block)) (not (clear ?onto)))))
