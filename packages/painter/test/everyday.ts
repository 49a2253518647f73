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
