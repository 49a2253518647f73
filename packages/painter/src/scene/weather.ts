import { type Canvas, shade, wholeOf } from '../canvas.js'
import { mix, type Rgb, toward } from '../color.js'
import type { Noise } from '../noise.js'
import type { Weather } from '../prompt/request.js'
import type { Random } from '../random.js'
import { paintRain, paintSnowfall, paintWind } from './falling.js'

/** What the weather needs to know of the picture it falls on. */
export interface Air {
  readonly unit: number
  readonly horizon: number
  readonly weather: ReadonlyMap<Weather, number>
  readonly haze: Rgb
  readonly noise: Noise
  readonly random: Random
}

/** Paints fog, rain, snowfall and wind over everything; other weather is in the sky already. */
export function paintWeather(canvas: Canvas, air: Air): void {
  const fog = air.weather.get('fog')
  const rain = Math.max(air.weather.get('rain') ?? 0, air.weather.has('storm') ? 1.3 : 0)
  const snow = air.weather.get('snow')
  const wind = air.weather.get('wind')
  if (fog) paintFog(canvas, air, fog)
  if (rain) paintRain(canvas, air.random, rain)
  if (snow) paintSnowfall(canvas, air.random, snow)
  if (wind) paintWind(canvas, air.random, wind)
}

const white: Rgb = { r: 1, g: 1, b: 1 }

function paintFog(canvas: Canvas, { unit, horizon, haze, noise }: Air, strength: number): void {
  const color = mix(haze, white, 0.25)
  shade(canvas, wholeOf(canvas), (ink, x, y) => {
    const drift = noise.layered((x / unit) * 1.6, (y / unit) * 5, 4)
    const near = 1 - Math.min(1, Math.abs(y - horizon) / (canvas.height * 0.55))
    toward(ink, color, Math.min(0.9, (0.22 + 0.5 * near) * (0.55 + 0.75 * drift) * strength))
  })
}
