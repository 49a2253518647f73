import type { Hex } from '../color.js'
import type { Place, Side, Time, Tone, Weather } from './request.js'

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

/** Number words, and words for some. */
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
}

/** Words for sizes, as factors. */
export const sizes: Readonly<Record<string, number>> = {
  tiny: 0.45,
  small: 0.65,
  little: 0.65,
  big: 1.35,
  large: 1.35,
  tall: 1.3,
  huge: 1.6,
  giant: 1.75,
  enormous: 1.75,
}

/** Words before a colour or a kind of weather: how strong the weather, how bright the colour. */
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

/** Where in the picture, by its phrases. */
export const sides: Readonly<Record<Side, string>> = {
  left: 'left',
  right: 'right',
  middle: 'middle, center, centre',
  top: 'top, above, overhead',
  bottom: 'bottom, foreground',
}

/** Landscapes, by their phrases. */
export const places: Readonly<Record<Place, string>> = {
  meadow:
    'meadow, field, grass, garden, park, countryside, hill, hills, valley, farm, landscape, spring, summer',
  sea: 'sea, ocean, water, lake, bay, harbor, harbour, river, fjord, waves, pond, sailing, coast',
  beach: 'beach, seaside, shore, island, tropical',
  snow: 'winter, snowy, wintry, arctic, ice, icy, frozen, frost, snow covered',
  desert: 'desert, dunes, dune, sahara, sand',
  city: 'city, town, street, skyline, skyscraper, skyscrapers, downtown, urban, cityscape, buildings',
  forest: 'forest, woods, woodland, jungle',
  mountains: 'mountains, alps, alpine, highlands, peaks',
  space: 'space, galaxy, cosmos, universe, outer space, nebula, orbit',
  underwater: 'underwater, under water, under the sea, coral reef, reef, seabed, aquarium',
  sky: 'in the sky, in the clouds, in the air',
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

/** Moods of the whole picture, by their phrases. */
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

/** Words after which nothing of what follows is wanted, up to the next noun. */
export const refusals = ['no', 'without', 'not']

/** Words after a number that make it no count of things. */
export const units = 'degrees degree c f celsius fahrenheit percent km mm am pm'.split(' ')
