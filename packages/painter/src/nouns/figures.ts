import { type Noun, part } from './part.js'
import { blob, box, curve, line, oval, poly } from './shapes.js'

const ink = '#2b2530'

const person: Noun = {
  words: ['person', 'man', 'woman', 'boy', 'girl', 'child', 'kid', 'farmer', 'sailor'],
  home: 'land',
  indoor: 'either',
  color: '#d24f45',
  height: 0.38,
  width: 0.45,
  parts: () => [
    ...[-0.065, 0.065].flatMap((x) => [
      part('#3d4a66', line([x, 0.36], [x * 1.15, 0.06], [0.062, 0.048]), { bulge: 0.05 }),
      part('#4a3328', oval([x * 1.3, 0.025], [0.065, 0.03]), { bulge: 0.03 }),
    ]),
    part(
      'main',
      curve(
        [
          [-0.11, 0.62],
          [-0.22, 0.52],
          [-0.19, 0.38],
        ],
        [0.05, 0.035],
      ),
      { bulge: 0.04 },
    ),
    part(
      'main',
      curve(
        [
          [0.11, 0.62],
          [0.24, 0.6],
          [0.25, 0.74],
        ],
        [0.05, 0.035],
      ),
      { bulge: 0.04 },
    ),
    part('#eab894', oval([-0.19, 0.355], 0.035), { bulge: 0.03 }),
    part('#eab894', oval([0.25, 0.765], 0.035), { bulge: 0.03 }),
    part(
      'main',
      blob([
        [-0.13, 0.33],
        [-0.145, 0.5],
        [-0.13, 0.64],
        [0, 0.68],
        [0.13, 0.64],
        [0.145, 0.5],
        [0.13, 0.33],
        [0, 0.31],
      ]),
      { bulge: 0.1 },
    ),
    part('#eab894', box([0, 0.69], [0.035, 0.04]), { bulge: 0.02 }),
    part('#5a3a26', oval([0, 0.86], [0.135, 0.135]), { bulge: 0.08 }),
    part('#f0c19d', oval([0, 0.825], [0.11, 0.115]), { bulge: 0.08 }),
    part(
      '#5a3a26',
      blob([
        [-0.125, 0.84],
        [-0.12, 0.93],
        [0, 0.985],
        [0.12, 0.93],
        [0.125, 0.84],
        [0.08, 0.89],
        [-0.02, 0.9],
        [-0.08, 0.88],
      ]),
      { bulge: 0.05 },
    ),
    ...[-0.042, 0.042].map((x) => part(ink, oval([x, 0.83], [0.013, 0.018]), { bulge: 0 })),
    part(
      '#c9655a',
      curve(
        [
          [-0.035, 0.785],
          [0, 0.765],
          [0.035, 0.785],
        ],
        0.006,
      ),
      { bulge: 0 },
    ),
    ...[-0.07, 0.07].map((x) =>
      part('#ee9c88', oval([x, 0.795], 0.022), { bulge: 0, alpha: 0.5, blur: 0.015 }),
    ),
  ],
}

const snowman: Noun = {
  words: ['snowman'],
  home: 'land',
  color: '#cf3f3a',
  height: 0.42,
  width: 0.75,
  parts: () => [
    ...[-1, 1].flatMap((side) => [
      part('#6b4a35', line([side * 0.14, 0.48], [side * 0.38, 0.62], [0.016, 0.009]), { bulge: 0.01 }),
      part('#6b4a35', line([side * 0.31, 0.58], [side * 0.33, 0.68], [0.009, 0.005]), { bulge: 0 }),
    ]),
    part('#f3f6fb', oval([0, 0.19], [0.26, 0.215]), { bulge: 0.2 }),
    part('#f3f6fb', oval([0, 0.48], [0.19, 0.17]), { bulge: 0.16 }),
    part('#f3f6fb', oval([0, 0.73], [0.145, 0.14]), { bulge: 0.12 }),
    part('main', box([0, 0.61], [0.14, 0.03], 0.028), { bulge: 0.03 }),
    part('main', line([0.08, 0.6], [0.11, 0.44], [0.03, 0.036]), { bulge: 0.03 }),
    ...[0.53, 0.46, 0.39].map((y) => part(ink, oval([0, y], 0.018), { bulge: 0.02 })),
    ...[-0.05, 0.05].map((x) => part(ink, oval([x, 0.77], 0.017), { bulge: 0.02 })),
    part(
      '#ee8630',
      poly(
        [
          [-0.01, 0.745],
          [-0.005, 0.705],
          [0.14, 0.715],
        ],
        0.006,
      ),
      { bulge: 0.02 },
    ),
    part(
      ink,
      curve(
        [
          [-0.06, 0.685],
          [0, 0.65],
          [0.06, 0.685],
        ],
        0.008,
      ),
      { bulge: 0 },
    ),
    part('#33363f', box([0, 0.93], [0.1, 0.075], 0.01), { bulge: 0.05 }),
    part('main', box([0, 0.875], [0.101, 0.018]), { bulge: 0.02 }),
    part('#33363f', box([0, 0.855], [0.155, 0.014], 0.012), { bulge: 0.015 }),
  ],
}

const robot: Noun = {
  words: ['robot', 'android'],
  home: 'land',
  indoor: 'either',
  color: '#7fa3b8',
  height: 0.38,
  width: 0.65,
  parts: () => [
    part('#5d6570', line([0, 0.9], [0, 0.98], 0.01), { bulge: 0 }),
    part('#f26a4b', oval([0, 0.99], 0.028), { bulge: 0.03 }),
    ...[-1, 1].flatMap((side) => [
      part('#5d6570', line([side * 0.09, 0.22], [side * 0.09, 0.06], 0.035), { bulge: 0.03 }),
      part('deep', box([side * 0.1, 0.035], [0.075, 0.038], 0.025), { bulge: 0.03 }),
      part(
        '#5d6570',
        curve(
          [
            [side * 0.2, 0.5],
            [side * 0.32, 0.46],
            [side * 0.29, 0.3],
          ],
          0.03,
        ),
        { bulge: 0.03 },
      ),
      part('deep', oval([side * 0.29, 0.27], 0.048), { bulge: 0.04 }),
    ]),
    part('main', box([0, 0.38], [0.19, 0.19], 0.04), { bulge: 0.07 }),
    part('#e8edf0', box([0, 0.4], [0.12, 0.09], 0.02), { bulge: 0.02 }),
    ...(['#e2574c', '#f3c33c', '#56b46c'] as const).map((color, i) =>
      part(color, oval([-0.06 + i * 0.06, 0.43], 0.02), { bulge: 0.015 }),
    ),
    part('#7b8791', line([-0.08, 0.36], [0.08, 0.36], 0.008), { bulge: 0 }),
    part('#5d6570', box([0, 0.59], [0.05, 0.03]), { bulge: 0.02 }),
    part('main', box([0, 0.75], [0.2, 0.145], 0.05), { bulge: 0.08 }),
    part('#263440', box([0, 0.76], [0.155, 0.085], 0.04), { bulge: 0.02 }),
    ...[-0.07, 0.07].flatMap((x) => [
      part('#7fe3f0', oval([x, 0.77], 0.042), { shines: true }),
      part('#ffffff', oval([x - 0.012, 0.785], 0.012), { shines: true }),
    ]),
    part(
      '#7fe3f0',
      curve(
        [
          [-0.05, 0.71],
          [0, 0.69],
          [0.05, 0.71],
        ],
        0.007,
      ),
      { shines: true },
    ),
  ],
}

/** People and human-like figures. */
export const figures: readonly Noun[] = [person, snowman, robot]
