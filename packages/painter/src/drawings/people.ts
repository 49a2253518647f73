import type { Noun } from '../nouns/part.js'
import { family } from './entry.js'

/** People, beings and parts of the body. */
export const people = [
  ...family(
    { indoor: 'either' },
    `
    man-standing: standing man @1.8
    woman-standing: standing woman @1.7
    person-walking: walker, pedestrian, hiker @1.75
    person-running: runner, jogger, athlete, sprinter @1.75
    woman-dancing: dancer, woman dancing, dancing woman, ballerina dancer @1.7
    man-dancing: man dancing, dancing man @1.75
    person-biking: cyclist, biker @1.8
    person-surfing: surfer @1.8
    person-swimming: swimmer @0.8
    skier: skier @1.6
    snowboarder: snowboarder @1.6
    horse-racing: rider, jockey, horse rider @2.4
    person-lifting-weights: weightlifter @1.7
    person-playing-handball: handball player, basketball player @1.8
    person-climbing: climber, mountaineer @1.8
    person-golfing: golfer, golf player @1.8
    person-juggling: juggler @1.8
    person-fencing: fencer @1.7
    man-cartwheeling: acrobat, gymnast @1.6
    person-in-lotus-position: yogi, monk in meditation @0.9
    person-merpeople: merman @1.8
    woman-merpeople: mermaid @1.8
    woman-fairy: fairy, elf fairy, tinkerbell @1.2
    ghost: ghost, spook @1.6
    person-zombie: zombie @1.8
    `,
  ),
  ...family(
    { indoor: 'either', shows: 'head' },
    `
    man: man, gentleman, guy, father, husband, dad @1.8
    woman: woman, lady, mother, wife, mom, mum @1.7
    boy: boy, son, brother @1.3
    girl: girl, daughter, sister @1.3
    child: child, kid, toddler @1.2
    baby: baby, infant, newborn @0.6
    old-man: old man, grandfather, grandpa @1.7
    old-woman: old woman, grandmother, grandma, granny @1.6
    man-beard: bearded man, hipster @1.8
    santa-claus: santa claus, santa, father christmas @1.8
    mrs-claus: mrs claus @1.6
    cowboy-hat-face: cowboy, cowgirl @1.8
    clown-face: clown, jester @1.8
    alien: alien, extraterrestrial, martian @1.5
    ogre: ogre, oni @2.2
    goblin: goblin, imp @1.4
    skull: skeleton @1.8
    `,
  ),
  ...family(
    { indoor: 'either', shows: 'bust' },
    `
    man-health-worker: doctor, physician, surgeon @1.8
    woman-health-worker: nurse, woman doctor @1.7
    man-teacher: teacher, professor @1.8
    farmer: farmer, peasant, gardener, man farmer @1.8
    cook: cook, chef, baker @1.8
    police-officer: police officer, policeman, policewoman, officer, sheriff, cop @1.8
    firefighter: firefighter, fireman, firewoman @1.8
    construction-worker: construction worker, builder, worker, bricklayer, miner @1.8
    mechanic: mechanic, plumber, electrician, carpenter @1.8
    factory-worker: factory worker, welder, blacksmith @1.8
    office-worker: office worker, businessman, manager, businesswoman, lawyer, clerk, secretary @1.8
    scientist: scientist, chemist, researcher @1.8
    technologist: programmer, developer, hacker, software engineer, engineer @1.8
    singer: singer, rock star, musician, pop star @1.8
    artist: artist, painter, sculptor @1.8
    pilot: pilot, captain @1.8
    astronaut: astronaut, cosmonaut, spaceman @1.9
    judge: judge @1.8
    student: student, graduate, pupil @1.7
    detective: detective, spy @1.8
    guard: guard, soldier, royal guard @1.9
    ninja: ninja @1.75
    prince: prince @1.8
    princess: princess, queen @1.7
    person-with-crown: king, monarch, emperor @1.8
    man-in-tuxedo: groom, bridegroom, butler, waiter @1.8
    woman-with-veil: bride @1.7
    man-superhero: superhero, hero @1.85
    woman-superhero: superheroine @1.75
    man-supervillain: supervillain, villain @1.85
    man-mage: wizard, mage, magician, sorcerer @1.9
    woman-mage: witch, sorceress @1.8
    man-vampire: vampire, dracula @1.85
    man-elf: elf @1.6
    man-genie: genie @1.9
    pregnant-woman: pregnant woman @1.7
    baby-angel: angel, cherub @1.2
    man-wearing-turban: man with turban, sikh @1.8
    woman-with-headscarf: woman with headscarf @1.7
    `,
  ),
]

/** Whether a noun is a person who is drawn with clothes. */
export function isPerson({ words }: Noun): boolean {
  return words[0] === 'person' || people.some((entry) => entry.words === words)
}

/** Parts of the body. They are drawn only if nothing else in the image includes them. */
export const body = family(
  { indoor: true },
  `
  hand-with-fingers-splayed: hand, palm @0.2
  raised-fist: fist @0.12
  thumbs-up: thumb, thumbs up @0.15
  foot: foot @0.12
  leg: leg, knee @0.8
  flexed-biceps: arm, biceps, muscle @0.4
  eye: eye @0.05
  eyes: pair of eyes @0.05
  ear: ear @0.08
  nose: nose @0.06
  mouth: mouth, lips @0.06
  tongue: tongue @0.08
  tooth: tooth @0.03
  brain: brain @0.15
  anatomical-heart: human heart, anatomical heart @0.12
  lungs: lung, lungs @0.3
  skull: skull @0.22
  footprints: footprint, footprints @0.2
  smiling-face: face, smiley, smiling face @0.25
  bust-in-silhouette: silhouette @0.5
  `,
)
