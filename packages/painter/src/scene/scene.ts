import { type Hex, luma, mix, type Rgb, type Stop, toRgb } from '../color.js'
import type { Light } from '../nouns/draw-parts.js'
import type { Noun } from '../nouns/part.js'
import type { Place, Request, Time, Weather } from '../prompt/request.js'
import type { Noise, Random } from '../random.js'

/** The data for painting a landscape, without things. */
export interface Scene {
  readonly width: number
  readonly height: number
  /** The image's shorter side, to which sizes are relative. */
  readonly unit: number
  readonly place: Place
  readonly time: Time
  readonly weather: ReadonlyMap<Weather, number>
  readonly air: SkyColors
  /** The row at which the sky ends. */
  readonly horizon: number
  /** The row at which the water ends: the horizon if there is no water, and the bottom if there is no near bank. */
  readonly bank: number
  readonly lamp?: Lamp
  readonly rainbow?: Noun
  readonly light: Light
  readonly noise: Noise
  readonly random: Random
  readonly seed: number
}

/** The sun or the moon or, in space, a planet. */
export interface Lamp {
  readonly noun: Noun
  readonly color: Rgb
  readonly x: number
  readonly y: number
  readonly size: number
}

/** The colours of the air at a time of day in some weather. */
interface SkyColors {
  /** The colours from the top of the sky (0) to the horizon (1). */
  readonly stops: readonly Stop[]
  /** The colour of the air directly above the horizon. Distant things fade into it. */
  readonly haze: Rgb
  /** The colour of the glow around the sun or moon. Black if there is neither. */
  readonly glow: Rgb
  readonly cloud: Rgb
  readonly cloudShadow: Rgb
  /** The colour of the light on the land. White does not change other colours. */
  readonly light: Rgb
}

type Table = Omit<SkyColors, 'stops' | keyof { haze: 0; glow: 0; cloud: 0; cloudShadow: 0; light: 0 }> &
  Record<'haze' | 'glow' | 'cloud' | 'cloudShadow' | 'light', Hex> & {
    readonly sky: readonly (readonly [number, Hex])[]
  }

const times: Readonly<Record<Time, Table>> = {
  day: {
    sky: [
      [0, '#3d83cc'],
      [0.55, '#82bde8'],
      [1, '#d6ecf5'],
    ],
    haze: '#cfe4ef',
    glow: '#fff3cf',
    cloud: '#ffffff',
    cloudShadow: '#b9cbdd',
    light: '#ffffff',
  },
  dawn: {
    sky: [
      [0, '#5c7dba'],
      [0.4, '#a79cc6'],
      [0.72, '#f0b6a8'],
      [1, '#ffe2b3'],
    ],
    haze: '#f6d3b8',
    glow: '#ffe6b8',
    cloud: '#ffe5d6',
    cloudShadow: '#b58fae',
    light: '#fbe6dc',
  },
  sunset: {
    sky: [
      [0, '#27305f'],
      [0.32, '#6b4482'],
      [0.6, '#d2626f'],
      [0.82, '#f79a5c'],
      [1, '#ffd488'],
    ],
    haze: '#f0a070',
    glow: '#ffcf7a',
    cloud: '#ffb186',
    cloudShadow: '#6d4379',
    light: '#f6cdb8',
  },
  night: {
    sky: [
      [0, '#060b22'],
      [0.5, '#11204a'],
      [1, '#34507f'],
    ],
    haze: '#2c4470',
    glow: '#aebde6',
    cloud: '#5a6d98',
    cloudShadow: '#1a2747',
    light: '#7285b8',
  },
}

/** How much of the sky's own colour each kind of weather removes. */
const greyness = { rain: 0.8, storm: 0.95, fog: 0.85, snow: 0.75, clouds: 0.35, clear: 0, wind: 0.1 } as const

/** Returns the colours of the air for a request. */
export function skyColorsFor({
  time = 'day',
  weather,
  sky,
}: Pick<Request, 'time' | 'weather' | 'sky'>): SkyColors {
  const table = times[time]
  const grey = Math.max(
    0,
    ...[...weather].map(([kind, strength]) => Math.min(1, greyness[kind] * (0.6 + 0.4 * strength))),
  )
  const dark = weather.has('storm') ? 0.45 : weather.has('rain') ? 0.72 : 1
  const overcast = (color: Rgb): Rgb => {
    const level = (0.3 + 0.62 * luma(color)) * dark
    return mix(color, { r: level * 0.95, g: level, b: level * 1.06 }, grey)
  }
  const tinted = (color: Rgb): Rgb =>
    sky ? mix(color, mix(sky.rgb, color, 0.15 + 0.5 * luma(color)), 0.9) : color
  const seen = (hex: Hex): Rgb => tinted(overcast(toRgb(hex)))
  return {
    stops: table.sky.map(([position, hex]): Stop => [position, seen(hex)]),
    haze: seen(table.haze),
    glow: mix(toRgb(table.glow), { r: 0, g: 0, b: 0 }, grey),
    cloud: overcast(toRgb(table.cloud)),
    cloudShadow: overcast(toRgb(table.cloudShadow)),
    light: mix(toRgb(table.light), overcast(toRgb(table.light)), 0.45),
  }
}
