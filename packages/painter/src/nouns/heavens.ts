import { type Noun, part } from './part.js'
import { box, cut, join, oval, type Point, poly } from './shapes.js'

const sun: Noun = {
  words: ['sun'],
  home: 'sky',
  color: '#ffe08a',
  height: 0.2,
  width: 1,
  shadowless: true,
  scenery: 'sun',
  parts: () => [
    part('main', oval([0, 0.5], 0.7), { shines: true, alpha: 0.5, blur: 0.55 }),
    part('main', oval([0, 0.5], 0.42), { shines: true, blur: 0.02 }),
    part('#fffdf2', oval([0, 0.5], 0.34), { shines: true, alpha: 0.8, blur: 0.2 }),
  ],
}

const moonDisc = oval([0, 0.5], 0.42)

const craters = [
  [-0.12, 0.62, 0.1],
  [0.15, 0.55, 0.07],
  [-0.02, 0.34, 0.12],
  [0.2, 0.32, 0.045],
  [-0.25, 0.42, 0.05],
  [0.06, 0.76, 0.055],
] as const

const moon: Noun = {
  words: ['moon', 'full moon'],
  home: 'sky',
  color: '#f4efd8',
  height: 0.2,
  width: 1,
  shadowless: true,
  scenery: 'moon',
  parts: () => [
    part('main', oval([0, 0.5], 0.6), { shines: true, alpha: 0.3, blur: 0.5 }),
    part('main', moonDisc, { shines: true }),
    ...craters.map(([x, y, r]) =>
      part('#b9b39d', oval([x, y], [r, r * 0.85]), {
        on: moonDisc,
        shines: true,
        alpha: 0.42,
        blur: r * 0.5,
      }),
    ),
    part('#4a5072', cut(oval([0, 0.5], 0.43), oval([-0.1, 0.56], 0.46)), {
      on: moonDisc,
      shines: true,
      alpha: 0.25,
      blur: 0.12,
    }),
  ],
}

const crescent: Noun = {
  words: ['crescent moon', 'crescent', 'new moon', 'half moon'],
  home: 'sky',
  color: '#f7edc4',
  height: 0.2,
  width: 1,
  shadowless: true,
  scenery: 'moon',
  parts: () => [
    part('main', oval([-0.1, 0.5], 0.55), { shines: true, alpha: 0.22, blur: 0.5 }),
    part('main', cut(moonDisc, oval([0.2, 0.6], 0.38)), { shines: true }),
  ],
}

const planet: Noun = {
  words: ['planet', 'saturn', 'jupiter'],
  home: 'sky',
  color: '#d9925a',
  height: 0.34,
  width: 1.3,
  shadowless: true,
  parts: () => {
    const disc = oval([0, 0.5], 0.4)
    const band = cut(oval([0, 0.5], [0.72, 0.15], 0.04), oval([0, 0.51], [0.56, 0.085], 0.04))
    const belt = { on: disc, bulge: 0.38, alpha: 0.55, blur: 0.02 }
    return [
      part('main', oval([0, 0.5], 0.52), { shines: true, alpha: 0.2, blur: 0.25 }),
      part('pale', band, { bulge: 0.02, alpha: 0.75 }),
      part('main', disc, { bulge: 0.38 }),
      part('deep', oval([0, 0.66], [0.5, 0.045], 0.02), belt),
      part('pale', oval([0, 0.45], [0.5, 0.045], 0.02), belt),
      part('deep', oval([0, 0.3], [0.5, 0.045], 0.02), belt),
      part('pale', cut(band, oval([0, 0.75], [0.9, 0.26], 0.04)), { bulge: 0.02, alpha: 0.9 }),
    ]
  },
}

const starPoints = [
  [0, 0.98],
  [0.14, 0.65],
  [0.48, 0.63],
  [0.21, 0.41],
  [0.3, 0.06],
  [0, 0.26],
  [-0.3, 0.06],
  [-0.21, 0.41],
  [-0.48, 0.63],
  [-0.14, 0.65],
] as const satisfies Point[]

const star: Noun = {
  words: ['star'],
  home: 'sky',
  color: '#f8cf45',
  height: 0.22,
  width: 1,
  shadowless: true,
  parts: () => [
    part('main', oval([0, 0.5], 0.62), { shines: true, alpha: 0.28, blur: 0.4 }),
    part('main', poly(starPoints, 0.03), { bulge: 0.16 }),
  ],
}

const cloud: Noun = {
  words: ['cloud'],
  home: 'sky',
  color: '#fbfbfd',
  height: 0.16,
  width: 2,
  shadowless: true,
  parts: () => [
    part(
      'main',
      join(
        [
          oval([-0.6, 0.3], 0.3),
          oval([-0.2, 0.5], 0.42),
          oval([0.25, 0.56], 0.44),
          oval([0.66, 0.32], 0.32),
          box([0, 0.16], [0.75, 0.16], 0.1),
        ],
        0.12,
      ),
      { bulge: 0.42 },
    ),
  ],
}

/** Things of the sky. */
export const heavens: readonly Noun[] = [sun, moon, crescent, planet, star, cloud]
