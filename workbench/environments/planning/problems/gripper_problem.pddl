; Four balls, three rooms in a row, two grippers.
(define (problem four-balls)
  (:domain gripper)
  (:objects kitchen hall study - room
            red green blue yellow - ball
            left right - gripper)
  (:init (door kitchen hall) (door hall kitchen) (door hall study) (door study hall)
         (robot-in kitchen)
         (in red kitchen) (in green kitchen) (in blue hall) (in yellow study)
         (empty left) (empty right))
  (:goal (and (in red study) (in green study) (in blue kitchen) (in yellow kitchen))))
