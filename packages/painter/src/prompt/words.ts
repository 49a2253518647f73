import type { Hex } from '../color.js'
import type { Place, Relation, Side, Style, Time, Tone, Weather } from './request.js'

/** Colour words. */
export const colors: Readonly<Record<string, Hex>> = {
  red: '#d8252c',
  crimson: '#b3122f',
  scarlet: '#e02a1f',
  maroon: '#7d1f2b',
  orange: '#f2811d',
  yellow: '#f6cd2b',
  gold: '#e3b23a',
  golden: '#e3b23a',
  green: '#3c9a45',
  lime: '#8fd13f',
  olive: '#7f8a3a',
  teal: '#23908f',
  turquoise: '#30c0b8',
  cyan: '#35c5dc',
  blue: '#2c6bd1',
  navy: '#22356f',
  indigo: '#4a3fa5',
  purple: '#7c3fb3',
  violet: '#8f4fd0',
  lavender: '#b79be0',
  magenta: '#d13aa5',
  pink: '#f283b0',
  brown: '#8b5a33',
  beige: '#dccba8',
  cream: '#f3e8cc',
  black: '#2b2b31',
  white: '#f8f6f0',
  grey: '#8b929a',
  gray: '#8b929a',
  silver: '#c3c8cf',
}

/** Words for numbers, and for "several". */
export const counts: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  dozen: 12,
  pair: 2,
  couple: 2,
  few: 3,
  several: 4,
  some: 3,
  many: 7,
  flock: 6,
  group: 5,
  bunch: 5,
  herd: 5,
  pack: 5,
  swarm: 7,
  crowd: 7,
  pile: 4,
  stack: 4,
  row: 4,
  team: 5,
  'school of': 6,
}

/** Size words, as factors. */
export const sizes: Readonly<Record<string, number>> = {
  tiny: 0.45,
  small: 0.65,
  little: 0.65,
  big: 1.35,
  large: 1.35,
  tall: 1.3,
  huge: 1.6,
  bigger: 1.4,
  larger: 1.4,
  taller: 1.3,
  smaller: 0.65,
  tinier: 0.45,
  giant: 1.75,
  enormous: 1.75,
}

/** Words for intensity before a colour or a kind of weather. */
export const degrees: Readonly<Record<string, readonly [factor: number, brightness: number]>> = {
  light: [0.5, 0.35],
  pale: [0.5, 0.4],
  slight: [0.5, 0.2],
  bright: [1, 0.12],
  dark: [1.3, -0.4],
  deep: [1.4, -0.25],
  heavy: [1.7, -0.2],
  strong: [1.6, -0.1],
  thick: [1.6, -0.1],
}

/** Sides of the image, by their phrases. */
export const sides: Readonly<Record<Side, string>> = {
  left: 'left',
  right: 'right',
  middle: 'middle, center, centre',
  top: 'top, overhead',
  bottom: 'bottom, foreground',
}

/** Relations between things, by their phrases. */
export const relations: Readonly<Record<Relation, string>> = {
  on: 'on, onto, crossing, on top of, atop, upon, riding',
  under: 'under, below, beneath, underneath',
  above: 'above, over',
  behind: 'behind, in back of',
  front: 'in front of, before',
  left: 'left of, to the left of, on the left of, on the left side of',
  right: 'right of, to the right of, on the right of, on the right side of',
  beside: 'beside, next to, near, by, close to, alongside, besides, against',
  between: 'between, in between',
}

/** Verbs whose objects are drawn beside their subjects. */
export const companies = (
  'holding,eating,drinking,carrying,chasing,watching,reading,playing,playing with,pulling,pushing,feeding,' +
  'leaning against,leaning on,looking at,talking to,following,hugging,kissing,driving'
).split(',')

/** Styles, by their phrases. */
export const styles: Readonly<Record<Style, string>> = {
  watercolour: 'watercolour, watercolor, watercolours, watercolors, aquarelle',
  oil: 'oil painting, oil paint, impressionist, impressionism, impasto',
  pixels: 'pixel art, pixelated, 8 bit, 16 bit, retro game',
  lines: 'line drawing, line art, ink drawing, outline, sketch, doodle, coloring page, colouring page',
  pencil: 'pencil drawing, pencil sketch, pencil, charcoal, graphite',
  cartoon: 'cartoon, comic, comic book, anime, cel shaded',
  minimal: 'minimalist, minimalistic, minimal, minimalism, flat design, flat, vector art, icon',
  poster: 'poster, pop art, screen print, posterized, woodcut',
  mosaic: 'mosaic, stained glass, low poly, tiles',
  neon: 'neon, glowing, synthwave, vaporwave, cyberpunk',
  blueprint: 'blueprint, technical drawing, schematic',
}

/** Landscapes, by their phrases. */
export const places: Readonly<Record<Place, string>> = {
  meadow:
    'meadow, field, grass, garden, park, countryside, hill, hills, valley, farm, landscape, spring, summer, savanna, savannah, prairie, pasture, lawn, yard, backyard, playground, zoo, golf course, football pitch',
  sea: 'sea, ocean, water, lake, bay, harbor, harbour, river, fjord, waves, pond, sailing, coast, swimming pool, pool, canal',
  beach: 'beach, seaside, shore, island, tropical',
  snow: 'winter, snowy, wintry, arctic, ice, icy, frozen, frost, snow covered, iceberg, ice floe, north pole, antarctica',
  desert: 'desert, dunes, dune, sahara, sand',
  city: 'city, town, street, skyline, skyscraper, skyscrapers, downtown, urban, cityscape, buildings, road, crossroads, sidewalk, parking lot, car park, traffic',
  forest: 'forest, woods, woodland, jungle',
  mountains: 'mountains, alps, alpine, highlands, peaks',
  space: 'space, galaxy, cosmos, universe, outer space, nebula, orbit, mars',
  moon: 'on the moon, moonscape, lunar, surface of the moon, moon surface',
  underwater: 'underwater, under water, under the sea, coral reef, reef, seabed, aquarium',
  sky: 'in the sky, in the clouds, in the air',
  room: 'room, indoors, indoor, kitchen, bedroom, living room, office, interior, bathroom, classroom, hallway, library, gym, museum hall, dining room, nursery, study, workshop, garage',
  plain: 'plain background, white background, empty background, blank background, studio, isolated',
}

/** Times of day, by their phrases. */
export const times: Readonly<Record<Time, string>> = {
  day: 'day, daytime, noon, midday, afternoon, daylight',
  dawn: 'dawn, sunrise, morning, daybreak',
  sunset: 'sunset, dusk, evening, twilight, golden hour',
  night: 'night, midnight, nighttime, moonlight, moonlit, starry, stars, nocturnal',
}

/** Kinds of weather, by their phrases. */
export const weathers: Readonly<Record<Weather, string>> = {
  clear: 'clear, sunny, sunshine, fair, cloudless, blue sky',
  clouds: 'clouds, cloudy, overcast, partly cloudy',
  rain: 'rain, rainy, raining, drizzle, shower, showers, rainfall, raindrops, wet',
  snow: 'snow, snowing, snowfall, snowflakes, sleet, blizzard, hail',
  fog: 'fog, foggy, mist, misty, haze, hazy',
  storm: 'storm, stormy, thunder, thunderstorm, lightning, tempest',
  wind: 'wind, windy, breeze, breezy, gale',
}

/** Nouns for weather and time that only describe the noun after them, as in "a rain coat". */
export const modifiers = new Set(
  'rain snow fog mist storm thunder wind hail night midnight morning evening noon'.split(' '),
)

/** Moods of the entire image, by their phrases. */
export const tones: Readonly<Record<Tone, string>> = {
  darker: 'darker, dim, dimmer, darken',
  lighter: 'lighter, brighter, brighten, lighten',
  warmer: 'warmer, warm, cozy, cosy',
  cooler: 'cooler, colder, cool, cold',
  monochrome: 'black and white, monochrome, grayscale, greyscale, black white',
  sepia: 'sepia, vintage, old photo, antique',
  vivid: 'vivid, colorful, colourful, vibrant, saturated',
  pale: 'faded, pastel, washed out',
  autumn: 'autumn, autumnal, fall leaves',
}

/** Negations. The words after them, up to the next noun, are unwanted. */
export const refusals = ['no', 'without', 'not']

/** Units. A number before them does not count things. */
export const units = 'degrees degree c f celsius fahrenheit percent km mm am pm'.split(' ')

/** Words that mean nothing to a painter. They are neither understood nor unknown. */
export const fillers = new Set(
  (
    'a an the and or but of with at by to in on as is are was were be it its this that these those there here ' +
    'his her hers my your our their he she they them we i you me us from for into out off up down over ' +
    'image picture painting drawing illustration artwork art scene view portrait style styled color colour ' +
    'colors colours colored coloured show shows showing shown paint painted draw drawn create make made ' +
    'generate render depict depicting please want would like some very more while which who where when then ' +
    'also just so can could should will do does add put place insert turn change replace swap remove erase ' +
    'delete take get rid give let background side part no not without piece slice kind instead too only more less just move give all everything'
  ).split(' '),
)

/** Unknown words that follow a noun but are not the main noun, as in "a cat asleep" and "a cat photo". */
export const followers = new Set(
  (
    'photo photograph photography wallpaper logo sticker clipart closeup close snapshot graphic design render 4k 8k hd ' +
    'k realistic photorealistic hyperrealistic detailed cinematic beautiful cute funny happy sad angry asleep awake ' +
    'alone ahead apart away afloat alive upright together everywhere outside inside outdoors today tonight now ' +
    'look run play jump fly sit sleep eat walk stand swim smile dance sing ride drive wait lie hold wear chase ' +
    'too again only more less much less than not never always ' +
    'full past along across through during among amid beyond toward towards around upside inside outside within after until'
  ).split(' '),
)

/** Words after which a word such as "saw" is a verb. */
export const subjects = new Set(
  'i you he she it we they who that which to will can could would should must may'.split(' '),
)

/** Words that introduce quoted lettering and have no other meaning. */
export const announcers = new Set(
  'text texts word words letters letter says say saying reads read reading written writing labelled labeled titled title caption captioned inscription lettering'.split(
    ' ',
  ),
)
