; A robot with grippers carries balls between rooms that doors connect.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball gripper)
  (:predicates
    (door ?from - room ?to - room)
    (robot-in ?room - room)
    (in ?ball - ball ?room - room)
    (empty ?gripper - gripper)
    (carries ?gripper - gripper ?ball - ball))
  (:action move
    :parameters (?from - room ?to - room)
    :precondition (and (robot-in ?from) (door ?from ?to))
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action pick
    :parameters (?ball - ball ?room - room ?gripper - gripper)
    :precondition (and (in ?ball ?room) (robot-in ?room) (empty ?gripper))
    :effect (and (carries ?gripper ?ball) (not (in ?ball ?room)) (not (empty ?gripper))))
  (:action drop
    :parameters (?ball - ball ?room - room ?gripper - gripper)
    :precondition (and (carries ?gripper ?ball) (robot-in ?room))
    :effect (and (in ?ball ?room) (empty ?gripper) (not (carries ?gripper ?ball)))))
