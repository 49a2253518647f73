import { type Noun, part } from './part.js'
import { blob, box, cut, oval, poly } from './shapes.js'

const ridge = blob([
  [-0.9, -0.02],
  [-0.55, 0.42],
  [-0.36, 0.56],
  [-0.14, 0.9],
  [0, 1],
  [0.16, 0.82],
  [0.34, 0.6],
  [0.5, 0.46],
  [0.9, -0.02],
])

const mountain: Noun = {
  words: ['mountain', 'mount', 'peak', 'volcano'],
  home: 'land',
  color: '#6d7690',
  height: 0.5,
  width: 1.7,
  shadowless: true,
  scenery: 'mountains',
  parts: () => [
    part('main', ridge, { bulge: 0.05 }),
    part(
      'deep',
      poly([
        [0, 1.02],
        [0.95, -0.02],
        [0.1, -0.02],
        [-0.04, 0.35],
        [0.08, 0.6],
      ]),
      { on: ridge, bulge: 0.05 },
    ),
    part(
      '#f4f7fb',
      poly([
        [0, 1.05],
        [-0.4, 0.66],
        [-0.2, 0.62],
        [-0.12, 0.7],
        [-0.03, 0.58],
        [0.06, 0.68],
        [0.15, 0.6],
        [0.5, 0.62],
      ]),
      { on: ridge, bulge: 0.05 },
    ),
    part(
      '#c3cfe2',
      poly([
        [0, 1.02],
        [0.05, 0.8],
        [0.02, 0.64],
        [0.06, 0.68],
        [0.15, 0.6],
        [0.5, 0.62],
      ]),
      { on: ridge, bulge: 0.05 },
    ),
  ],
}

const rainbow: Noun = {
  words: ['rainbow'],
  home: 'sky',
  color: '#e0473a',
  height: 0.5,
  width: 2,
  shadowless: true,
  scenery: 'rainbow',
  parts: () =>
    arcs.map((color, i) => part(color, arc(0.99 - i * 0.045), { shines: true, alpha: 0.55, blur: 0.02 })),
}

const arcs = ['#e0473a', '#f08c32', '#f4d03c', '#58b45a', '#3f7fcf', '#7a4fb5'] as const

function arc(radius: number) {
  return cut(cut(oval([0, 0], radius), oval([0, 0], radius - 0.05)), box([0, -0.5], [1, 0.5]))
}

/** Parts of a landscape that can also be added to one. */
export const landmarks: readonly Noun[] = [mountain, rainbow]
