import { family } from './entry.js'

/** Vehicles and buildings. */
export const places = [
  ...family(
    {},
    `
    taxi: taxi, cab, taxicab @1.6
    sport-utility-vehicle: suv, jeep, off road vehicle @1.9
    racing-car: racing car, race car, formula one car, sports car @1
    police-car: police car, patrol car @1.6
    ambulance: ambulance @2.5
    fire-engine: fire engine, fire truck, firetruck @3
    delivery-truck: truck, lorry, delivery truck @3
    articulated-lorry: semi truck, articulated lorry, trailer truck, semi trailer @4
    pickup-truck: pickup, pickup truck @1.9
    minibus: minibus, van, camper, camper van, minivan @2.1
    bus: school bus @3
    trolleybus: trolleybus @3.2
    tram: tram, streetcar, trolley @3.5
    tram-car: cable car, tram car @3.5
    metro: subway, metro, underground train @3.5
    high-speed-train: high speed train @3.8
    bullet-train: bullet train @3.8
    locomotive: steam train, steam engine, steam locomotive @4
    railway-car: railway car, wagon, carriage @3.8
    tractor: tractor @2.8
    motorcycle: motorcycle, motorbike @1.1
    motor-scooter: scooter, motor scooter, moped, vespa @1.1
    kick-scooter: kick scooter, kickscooter @1
    auto-rickshaw: rickshaw, auto rickshaw, tuk tuk @1.8
    church: church, chapel, cathedral @20
    mosque: mosque @20
    synagogue: synagogue @15
    hindu-temple: hindu temple @20
    shinto-shrine: shrine, torii, shinto shrine @6
    classical-building: temple, museum, classical building, court, courthouse, parliament @15
    school: school, schoolhouse, primary school, high school, university @12
    hospital: hospital, clinic @18
    hotel: hotel, motel, inn, hostel @18
    bank: bank @12
    post-office: post office @10
    department-store: department store, mall, shopping mall, shopping centre @18
    convenience-store: supermarket, convenience store, grocery store @5
    office-building: office building, building, apartment building, office block, block of flats, apartment block @25
    factory: factory, plant hall, power plant @15
    houses: village, row of houses @7
    house-with-garden: house with garden, villa, mansion @8
    derelict-house: ruin, derelict house, haunted house, abandoned house @7
    hut: straw hut, bamboo hut @3.5
    japanese-castle: japanese castle, pagoda @25
    tokyo-tower: eiffel tower, tokyo tower, radio tower, tv tower, transmission tower @60
    stadium: stadium, arena @30
    circus-tent: circus, circus tent, big top @12
    building-construction: building site, construction site, construction crane, crane @25
    station: railway station, train station @8
    bus-stop: bus stop @2.6
    kaaba: kaaba @13
    wedding: wedding chapel @10
    snow-capped-mountain: snow capped mountain @9
    mount-fuji: mount fuji, fuji @9
    railway-track: railway track, rail, rails, railroad track, railway @1
    motorway: motorway, highway, freeway @3
    `,
  ),
  ...family(
    { home: 'water' },
    `
    motor-boat: motorboat, motor boat, powerboat @3
    speedboat: speedboat @2
    canoe: canoe, kayak, rowboat, rowing boat, dinghy @1
    ferry: ferry @12
    passenger-ship: cruise ship, ocean liner, liner @40
    `,
  ),
  ...family(
    { home: 'sky' },
    `
    small-airplane: small airplane, small plane, propeller plane, biplane @3
    `,
  ),
]
