import { family } from './entry.js'

/** Food and drink. */
export const food = family(
  { indoor: true },
  `
  tangerine: orange, tangerine, mandarin, clementine, grapefruit @0.09
  lemon: lemon, citrus @0.09
  lime: lime @0.07
  grapes: grapes, grape, bunch of grapes @0.18
  watermelon: watermelon, slice of watermelon @0.2
  melon: melon, cantaloupe, honeydew @0.2
  pineapple: pineapple, ananas @0.3
  mango: mango, papaya @0.12
  green-apple: green apple @0.09
  pear: pear @0.12
  peach: peach, apricot, nectarine @0.09
  cherries: cherry, cherries @0.08
  blueberries: blueberry, blueberries, bilberry @0.05
  kiwi-fruit: kiwi, kiwi fruit @0.07
  tomato: tomato @0.08
  olive: olive, olives @0.05
  coconut: coconut @0.14
  avocado: avocado @0.12
  eggplant: eggplant, aubergine @0.22
  potato: potato @0.1
  carrot: carrot, vegetable @0.2
  ear-of-corn: corn, ear of corn, maize, corn cob, sweetcorn @0.25
  hot-pepper: chili, chilli, hot pepper, chili pepper, chilli pepper @0.12
  bell-pepper: pepper, bell pepper, paprika @0.12
  cucumber: cucumber, zucchini, courgette, pickle, gherkin @0.2
  leafy-green: lettuce, cabbage, spinach, kale, leafy green @0.25
  broccoli: broccoli, cauliflower @0.2
  garlic: garlic, clove of garlic @0.07
  onion: onion @0.09
  peanuts: peanut, peanuts, nut @0.05
  beans: bean, beans, lentil @0.05
  chestnut: chestnut, hazelnut, acorn, walnut, almond @0.04
  ginger-root: ginger, ginger root @0.1
  pea-pod: pea, peas, pea pod @0.1
  bread: bread, loaf, loaf of bread, slice of bread, toast @0.15
  croissant: croissant @0.1
  baguette-bread: baguette, french bread @0.5
  flatbread: flatbread, naan, pita @0.05
  pretzel: pretzel @0.12
  bagel: bagel @0.1
  pancakes: pancake, pancakes @0.1
  waffle: waffle @0.12
  cheese-wedge: cheese, piece of cheese, slice of cheese @0.1
  meat-on-bone: meat, meat on the bone @0.2
  poultry-leg: chicken leg, drumstick, turkey leg, chicken wing @0.15
  cut-of-meat: steak, beef, pork chop @0.12
  bacon: bacon @0.15
  hamburger: hamburger, burger, cheeseburger @0.12
  french-fries: french fries, fries, chips @0.15
  hot-dog: hot dog, sausage, hotdog @0.08
  sandwich: sandwich @0.1
  taco: taco @0.1
  burrito: burrito, wrap @0.1
  tamale: tamale @0.1
  stuffed-flatbread: kebab, falafel wrap, gyro @0.15
  falafel: falafel, meatball @0.05
  egg: egg @0.06
  cooking: fried egg, frying pan, pan, skillet @0.1
  shallow-pan-of-food: paella, casserole @0.12
  pot-of-food: pot of food, stew, soup, bowl of soup, pot, cooking pot, saucepan, goulash @0.25
  fondue: fondue @0.2
  bowl-with-spoon: bowl, bowl of cereal, cereal, porridge @0.12 seat 0.5
  green-salad: salad, bowl of salad @0.12
  popcorn: popcorn @0.2
  butter: butter @0.06
  salt: salt, salt shaker @0.12
  canned-food: tin, canned food, tin can @0.12
  bento-box: bento, bento box, lunch box, lunchbox @0.1
  rice-ball: rice ball, onigiri @0.08
  cooked-rice: rice, bowl of rice @0.12
  curry-rice: curry @0.1
  steaming-bowl: noodles, ramen, noodle soup, bowl of noodles @0.14
  spaghetti: spaghetti, pasta, plate of spaghetti, macaroni @0.1
  sushi: sushi @0.05
  fried-shrimp: fried shrimp @0.15
  moon-cake: moon cake @0.05
  dango: dango @0.2
  dumpling: dumpling, ravioli @0.05
  fortune-cookie: fortune cookie @0.05
  takeout-box: takeout box @0.15
  soft-ice-cream: ice cream cone, soft ice cream @0.2
  shaved-ice: shaved ice, sorbet @0.2
  ice-cream: ice cream sundae, sundae, bowl of ice cream @0.18
  doughnut: doughnut, donut @0.1
  cookie: cookie, biscuit @0.07
  birthday-cake: birthday cake @0.25
  shortcake: shortcake, piece of cake, slice of cake, cheesecake @0.12
  cupcake: cupcake, muffin @0.09
  pie: pie, apple pie, cherry pie, tart, quiche @0.1
  chocolate-bar: chocolate, chocolate bar, bar of chocolate @0.18
  candy: candy, sweet, bonbon, toffee @0.05
  lollipop: lollipop @0.15
  custard: custard, pudding, flan @0.08
  honey-pot: honey, honey pot, jar of honey @0.12
  baby-bottle: baby bottle @0.18
  glass-of-milk: glass, glass of milk, milk @0.15
  hot-beverage: coffee, cup of coffee, cappuccino, espresso, hot chocolate, cocoa @0.1
  teapot: teapot, tea pot, kettle, coffee pot @0.18
  teacup-without-handle: tea, cup of tea, green tea @0.1
  sake: sake @0.2
  bottle-with-popping-cork: champagne, champagne bottle @0.32
  wine-glass: wine, wine glass, glass of wine, red wine, goblet @0.2
  cocktail-glass: cocktail, martini, cocktail glass @0.18
  tropical-drink: tropical drink, long drink, lemonade, iced tea @0.25
  beer-mug: beer, beer mug, mug of beer, glass of beer, pint @0.18
  tumbler-glass: whisky, whiskey, tumbler, juice glass @0.1
  cup-with-straw: soda, soft drink, cola, milkshake, smoothie, cup with straw, paper cup @0.22
  bubble-tea: bubble tea @0.22
  beverage-box: juice, juice box, orange juice, apple juice, glass of juice, glass of orange juice @0.18
  mate: mate tea @0.15
  ice: ice cube @0.04
  chopsticks: chopsticks @0.24
  fork-and-knife: fork and knife, knife and fork, cutlery @0.22
  spoon: spoon, teaspoon, ladle, tablespoon @0.18
  kitchen-knife: knife, kitchen knife @0.3
  jar: jar, jam jar, jam, marmalade @0.15
  amphora: amphora, jug, pitcher @0.5
  `,
)
