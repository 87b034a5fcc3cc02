; Parcels travel by truck on the roads of a city, and by plane between airports.
(define (domain logistics)
  (:requirements :strips :typing)
  (:types place vehicle parcel - object
          airport - place
          truck plane - vehicle)
  (:predicates
    (road ?from - place ?to - place)
    (route ?from - airport ?to - airport)
    (at ?vehicle - vehicle ?place - place)
    (waits ?parcel - parcel ?place - place)
    (inside ?parcel - parcel ?vehicle - vehicle))
  (:action load
    :parameters (?parcel - parcel ?vehicle - vehicle ?place - place)
    :precondition (and (waits ?parcel ?place) (at ?vehicle ?place))
    :effect (and (inside ?parcel ?vehicle) (not (waits ?parcel ?place))))
  (:action unload
    :parameters (?parcel - parcel ?vehicle - vehicle ?place - place)
    :precondition (and (inside ?parcel ?vehicle) (at ?vehicle ?place))
    :effect (and (waits ?parcel ?place) (not (inside ?parcel ?vehicle))))
  (:action drive
    :parameters (?truck - truck ?from - place ?to - place)
    :precondition (and (at ?truck ?from) (road ?from ?to))
    :effect (and (at ?truck ?to) (not (at ?truck ?from))))
  (:action fly
    :parameters (?plane - plane ?from - airport ?to - airport)
    :precondition (and (at ?plane ?from) (route ?from ?to))
    :effect (and (at ?plane ?to) (not (at ?plane ?from)))))
