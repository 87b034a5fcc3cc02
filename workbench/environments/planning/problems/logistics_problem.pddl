; Two cities with an airport and an office each, a truck in each, one plane, three parcels.
(define (problem two-cities)
  (:domain logistics)
  (:objects north-airport south-airport - airport
            north-office south-office - place
            north-truck south-truck - truck
            jet - plane
            book lamp vase - parcel)
  (:init (road north-airport north-office) (road north-office north-airport)
         (road south-airport south-office) (road south-office south-airport)
         (route north-airport south-airport) (route south-airport north-airport)
         (at north-truck north-airport) (at south-truck south-office) (at jet north-airport)
         (waits book north-office) (waits lamp north-airport) (waits vase south-office))
  (:goal (and (waits book south-office) (waits lamp south-airport) (waits vase north-airport))))
