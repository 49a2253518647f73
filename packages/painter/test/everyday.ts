// Everyday nouns, prompts and edits. They were written before the drawings that answer them, and do not follow them.

/** 175 everyday nouns, by their field. */
export const everydayNouns: Readonly<Record<string, string>> = {
  animals:
    'dog, cat, horse, cow, pig, sheep, goat, chicken, duck, rabbit, mouse, lion, tiger, elephant, giraffe, zebra, monkey, bear, wolf, fox, deer, snake, frog, turtle, fish, shark, whale, bee, butterfly, spider',
  food: 'apple, banana, orange, lemon, strawberry, grapes, watermelon, carrot, tomato, potato, mushroom, bread, cheese, egg, pizza, hamburger, sandwich, cake, ice cream, cookie, chocolate, coffee, soup',
  household:
    'chair, table, sofa, bed, wardrobe, shelf, lamp, mirror, clock, door, window, bathtub, toilet, candle, bottle, cup, plate, fork, spoon, knife, broom, bucket, pillow, carpet',
  vehicles:
    'car, bus, truck, train, bicycle, motorcycle, airplane, helicopter, ship, rocket, tractor, ambulance, taxi',
  clothes: 'shirt, dress, trousers, shoe, boot, hat, sock, coat, scarf, glove, glasses, ring, umbrella, belt',
  buildings: 'house, castle, church, school, hospital, tower, bridge, factory, tent, lighthouse',
  tools: 'hammer, saw, screwdriver, wrench, scissors, axe, ladder, key',
  instruments: 'guitar, piano, violin, drum, trumpet, flute',
  people: 'man, woman, boy, girl, baby, doctor, teacher, farmer, policeman, firefighter, cook, king',
  weather: 'sun, moon, star, cloud, rainbow, snowflake, lightning',
  plants: 'tree, flower, rose, sunflower, cactus, leaf, palm tree',
  body: 'hand, foot, eye, ear, nose, mouth, tooth',
  electronics: 'phone, computer, television, camera, radio, keyboard, headphones, light bulb',
  sports: 'football, basketball, tennis racket, skateboard, kite, trophy',
}

/** 283 other nouns, by a reader who had not looked at the vocabulary. */
export const otherNouns: string =
  'donkey, squirrel, hedgehog, owl, eagle, penguin, parrot, crocodile, camel, kangaroo, panda, ' +
  'dolphin, octopus, crab, snail, ant, ladybird, bat, swan, peacock, rooster, turkey, lobster, seal, ' +
  'hippo, rhino, gorilla, puppy, kitten, lamb, worm, dragonfly, mosquito, starfish, jellyfish, pear, ' +
  'peach, cherry, pineapple, mango, onion, garlic, cucumber, corn, pumpkin, pepper, broccoli, lettuce, ' +
  'peas, rice, pasta, noodles, steak, sausage, chicken leg, hot dog, french fries, donut, pancake, ' +
  'pie, candy, lollipop, honey, butter, salt, milk, tea, beer, wine, juice, water bottle, teapot, ' +
  'popcorn, salad, sushi, armchair, desk, bookshelf, curtain, vase, pot, pan, kettle, fridge, oven, ' +
  'microwave, washing machine, sink, tap, towel, soap, toothbrush, toothpaste, comb, hairdryer, iron, ' +
  'vacuum cleaner, blanket, basket, box, bin, mop, bowl, glass, jar, stairs, fireplace, fan, heater, ' +
  'picture frame, plant pot, rug, cushion, drawer, stool, van, fire engine, police car, sailboat, ' +
  'canoe, submarine, scooter, tram, hot air balloon, spaceship, bulldozer, crane, wheelbarrow, ' +
  'caravan, wheelchair, sledge, parachute, jacket, sweater, skirt, jeans, tie, cap, sandal, watch, ' +
  'necklace, earring, backpack, handbag, wallet, suitcase, crown, helmet, skyscraper, barn, windmill, ' +
  'pyramid, fountain, fence, gate, well, statue, supermarket, hotel, library, stadium, garage, igloo, ' +
  'drill, shovel, rake, pliers, screw, nail, rope, magnet, tape measure, paintbrush, flashlight, lock, ' +
  'bell, needle, compass, telescope, microscope, pencil, pen, book, ruler, eraser, notebook, calendar, ' +
  'map, globe, newspaper, envelope, stamp, blackboard, saxophone, harp, accordion, microphone, ' +
  'xylophone, tambourine, nurse, soldier, pilot, astronaut, clown, pirate, princess, queen, witch, ' +
  'wizard, ghost, robot, angel, mermaid, dancer, painter, waiter, mechanic, snowman, vampire, tornado, ' +
  'fire, volcano, mountain, island, waterfall, river, beach, desert, forest, planet, comet, daisy, ' +
  'tulip, bamboo, grass, bush, seed, acorn, pine cone, fern, ivy, heart, brain, bone, skull, finger, ' +
  'leg, arm, hair, beard, face, tongue, knee, laptop, tablet, printer, mouse pad, speaker, battery, ' +
  'remote control, plug, satellite, drone, ball, bowling ball, golf club, baseball bat, skis, ' +
  'roller skates, surfboard, dart board, chess piece, dice, doll, teddy bear, balloon, puzzle, swing, ' +
  'slide, trampoline, medal, whistle, flag'

/** 30 prompts in the words of ordinary users. */
export const everydayPrompts: readonly string[] = [
  'a cup and a book on a table',
  'two dogs and three cats in a park',
  'an oak tree on a hill',
  'a coffee shop on a rainy street',
  'a lion sleeping under a tree',
  'a red bicycle leaning against a wall',
  'a mouse next to an elephant',
  'a bowl of fruit in a kitchen',
  'five apples on a table',
  'a doctor and a nurse in front of a hospital',
  'a teddy bear on a bed in a bedroom',
  'a guitar on a chair',
  'a fire truck in front of a burning house',
  'a monkey eating a banana in the jungle',
  'a slice of pizza and a glass of orange juice',
  'an astronaut riding a horse on the moon',
  'a laptop, a phone and a cup of coffee on a desk in an office',
  'a school bus in the snow',
  'a birthday cake with candles on a table',
  'a watercolour of a fox in an autumn forest',
  'a blue whale jumping out of the sea at sunset',
  'a wizard with a hat in front of a castle at night',
  'a cat wearing sunglasses',
  'a zebra and a giraffe in the savanna',
  'a piano in a living room',
  'a gorgonzola quokka on a zeppelin mooring mast',
  'three small green frogs on a big rock',
  'a king with a golden crown',
  'a robot playing football on a beach',
  'pixel art of a dragon over a village',
]

/** An edit of an image that the painter made itself. */
export interface EverydayEdit {
  /** The prompt of the image. */
  readonly of: string
  readonly edit: string
}

/** 15 edits without a mask, some with words that no painter knows. */
export const everydayEdits: readonly EverydayEdit[] = [
  { of: 'a dog and a cat in a park', edit: 'remove the dog' },
  { of: 'a snowman in a winter forest', edit: 'add a hat to the snowman' },
  { of: 'a red car on a street', edit: 'make the car blue' },
  { of: 'a house by a lake', edit: 'make it night' },
  { of: 'a table in a kitchen', edit: 'put a cake on the table' },
  { of: 'a beach with a palm tree', edit: 'replace the palm tree with an umbrella' },
  { of: 'a cow on a meadow', edit: 'add two sheep next to the cow' },
  { of: 'a boat on the sea', edit: 'make the boat bigger' },
  { of: 'a tiger in the jungle', edit: 'turn it into a watercolour' },
  { of: 'a horse in a field', edit: 'add a flumadiddle' },
  { of: 'a horse in a field', edit: 'make the horse look more disgruntled' },
  { of: 'three balloons over a city', edit: 'only one balloon' },
  { of: 'a cat on a sofa', edit: 'remove the zebra' },
  { of: 'a street with a bus', edit: 'let it rain' },
  { of: 'a girl with a dog', edit: 'fix the bokeh and the chromatic aberration' },
]
