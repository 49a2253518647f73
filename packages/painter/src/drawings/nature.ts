import { family } from './entry.js'

/** Animals, plants and things of the sky. */
export const nature = [
  ...family(
    {},
    `
    tiger: tiger, tigress @1
    leopard: leopard, cheetah, jaguar, panther, puma @0.9
    ox: ox, bull, bison bull @1.6
    water-buffalo: buffalo, water buffalo @1.6
    bison: bison @1.8
    pig: pig, hog, piglet, swine @0.8
    ewe: sheep, ewe, lamb @0.9
    ram: ram @1
    goat: goat, billy goat @0.9
    camel: dromedary @2.2
    two-hump-camel: camel @2.2
    llama: llama, alpaca @1.7
    giraffe: giraffe @5
    mammoth: mammoth @3.5
    rhinoceros: rhinoceros, rhino @1.8
    hippopotamus: hippopotamus, hippo @1.6
    chipmunk: squirrel, chipmunk @0.22
    beaver: beaver @0.5
    kangaroo: kangaroo, wallaby @1.6
    badger: badger @0.4
    otter: otter @0.5
    skunk: skunk @0.3
    sloth: sloth @0.6
    zebra: zebra @1.5
    deer: deer, stag, reindeer, antelope, gazelle, elk @1.5
    donkey: donkey, mule @1.3
    monkey: monkey, ape, chimpanzee, baboon @0.8
    gorilla: gorilla @1.7
    orangutan: orangutan, orang utan @1.4
    rooster: rooster, cockerel, chicken, hen @0.5
    hatching-chick: hatching chick @0.14
    turkey: turkey @0.9
    goose: goose, gosling @0.8
    flamingo: flamingo @1.4
    peacock: peacock @1.2
    dodo: dodo @0.9
    crocodile: crocodile, alligator @0.8
    dragon: dragon @3
    sauropod: dinosaur, brontosaurus, sauropod @6
    t-rex: tyrannosaurus, t rex, tyrannosaurus rex @4
    worm: worm, earthworm @0.05
    bug: caterpillar, bug, insect @0.04
    ant: ant, termite @0.03
    beetle: beetle @0.03
    lady-beetle: ladybug, ladybird, lady beetle @0.03
    cricket: grasshopper, cricket, locust @0.04
    cockroach: cockroach @0.04
    scorpion: scorpion @0.08
    spider-web: spider web, cobweb, spiderweb, web @0.4
    crab: crab @0.12
    lobster: lobster @0.3
    oyster: oyster, clam, mussel @0.1
    coral: coral @0.4
    nest-with-eggs: nest, bird nest @0.2
    seal: seal, sea lion, walrus @0.9
    cherry-blossom: cherry blossom, sakura @0.1
    blossom: blossom, buttercup @0.3
    wilted-flower: wilted flower @0.4
    lotus: lotus, water lily @0.2
    four-leaf-clover: clover, four leaf clover, four leaved clover @0.1
    shamrock: shamrock @0.1
    maple-leaf: maple leaf, leaf @0.12
    fallen-leaf: fallen leaf, autumn leaf @0.12
    leaf-fluttering-in-wind: green leaf @0.12
    sheaf-of-rice: wheat, barley, sheaf, rice plant @0.9
    wood: wood, log, firewood @0.4
    rock: rock, stone, boulder @0.8
    fire: fire, flame, bonfire, campfire @1
    volcano: volcano @8
    desert-island: desert island @4
    hole: hole @0.3
    `,
  ),
  ...family(
    { indoor: 'either' },
    `
    poodle: poodle @0.5
    guide-dog: guide dog @0.6
    mouse: mouse @0.08
    rat: rat @0.12
    hedgehog: hedgehog, porcupine @0.15
    baby-chick: chick @0.12
    lizard: lizard, gecko, salamander, chameleon, iguana @0.2
    snake: snake, serpent, cobra, python, viper @0.5
    snail: snail @0.05
    spider: spider, tarantula @0.05
    spiral-shell: shell, seashell, conch @0.1
    paw-prints: paw print, paw @0.1
    bone: bone @0.15
    feather: feather @0.2
    rose: rose @0.5
    tulip: tulip @0.4
    hibiscus: hibiscus, lily, orchid @0.3
    hyacinth: hyacinth, lavender @0.4
    bouquet: bouquet, bunch of flowers, bouquet of flowers, bouquet of roses @0.4
    potted-plant: plant, potted plant, houseplant, house plant, plant pot, flower pot, flowerpot @0.6
    seedling: seedling, sprout, sapling @0.2
    herb: herb, basil, fern @0.3
    `,
  ),
  ...family(
    { shows: 'animal head' },
    `
    lion: lion, lioness @1.2
    fox: fox, vixen @0.45
    wolf: wolf, coyote, jackal @0.8
    bear: brown bear, grizzly, grizzly bear @1.4
    panda: panda, panda bear @1.2
    polar-bear: polar bear @1.5
    koala: koala, koala bear @0.7
    raccoon: raccoon, racoon @0.4
    boar: boar, wild boar @0.9
    hamster: hamster, guinea pig, gerbil @0.1
    moose: moose @2
    unicorn: unicorn @1.7
    `,
  ),
  ...family(
    { home: 'water' },
    `
    shark: shark @1.5
    dolphin: dolphin, porpoise @1.5
    octopus: octopus @0.6
    squid: squid @0.6
    jellyfish: jellyfish @0.4
    shrimp: shrimp, prawn @0.05
    tropical-fish: tropical fish, clownfish @0.15
    blowfish: blowfish, pufferfish @0.2
    swan: swan @0.9
    `,
  ),
  ...family(
    { home: 'sky' },
    `
    bat: bat @0.2
    eagle: eagle, hawk, falcon, vulture @0.6
    dove: dove, pigeon @0.3
    parrot: parrot, macaw, cockatoo @0.4
    blackbird: crow, raven, blackbird, magpie @0.3
    phoenix-bird: phoenix @1
    fly: fly, housefly @0.01
    mosquito: mosquito, gnat @0.01
    comet: comet, meteor @1
    shooting-star: shooting star, falling star @1
    snowflake: snowflake @0.3
    tornado: tornado, whirlwind, hurricane @8
    sun-behind-cloud: sun behind cloud @2
    drop-of-blood: drop of blood, blood @0.1
    droplet: drop, droplet, raindrop, water drop, drop of water @0.1
    high-voltage: lightning bolt, bolt of lightning, thunderbolt @2
    fireworks: fireworks, firework @4
    sparkles: sparkle, glitter @0.5
    satellite: satellite @3
    flying-saucer: ufo, flying saucer @3
    helicopter: helicopter, chopper @3.5
    parachute: parachute @5
    musical-note: musical note, music note @0.4
    musical-notes: music @0.4
    speech-balloon: speech bubble @0.4
    bubbles: bubble @0.3
    heart-with-arrow: heart with arrow @0.4
    broken-heart: broken heart @0.4
    `,
  ),
]
