import type { Canvas } from '../canvas.js'
import type { Place } from '../prompt/request.js'
import { paintCity } from './city.js'
import { paintDesert, paintDune } from './desert.js'
import { paintFlat } from './flat.js'
import { paintForest } from './forest.js'
import { paintGreen, paintMeadow, paintTurf } from './meadow.js'
import { paintMountains } from './peaks.js'
import { paintPlain } from './plain.js'
import { paintRoom } from './room.js'
import type { Scene } from './scene.js'
import { paintWater } from './sea.js'
import { paintSky } from './sky.js'
import { paintSnowfield } from './snowfield.js'
import { paintSpace } from './space.js'
import { paintUnderwater } from './underwater.js'

type Painter = (canvas: Canvas, scene: Scene) => void

/** Paints everything that lies behind the things. */
export function paintLandscape(canvas: Canvas, scene: Scene): void {
  if (scene.light.flat) {
    paintFlat(canvas, scene)
    return
  }
  if (!skyless.includes(scene.place)) paintSky(canvas, scene)
  grounds[scene.place](canvas, scene)
}

/** Places that cover the whole canvas by themselves. */
const skyless: readonly Place[] = ['space', 'underwater', 'room', 'plain']

/** Paints the near bank in front of what floats, where there is one. */
export function paintBank(canvas: Canvas, scene: Scene): void {
  const { bank, horizon, height, unit, place } = scene
  if (bank <= horizon || bank >= height || scene.light.flat) return
  if (place === 'beach') paintDune(canvas, scene, { level: bank, near: 0.8 })
  else {
    paintGreen(canvas, scene, bank)
    paintTurf(canvas, scene, bank + unit * 0.05)
  }
}

const grounds: Readonly<Record<Place, Painter>> = {
  meadow: paintMeadow,
  sea: (canvas, scene) => paintWater(canvas, scene),
  beach: (canvas, scene) => paintWater(canvas, scene),
  snow: paintSnowfield,
  desert: paintDesert,
  city: paintCity,
  forest: paintForest,
  mountains: paintMountains,
  space: paintSpace,
  underwater: paintUnderwater,
  sky: () => {},
  room: paintRoom,
  plain: paintPlain,
}
