import { type Noun, type Part, part } from './part.js'
import { blob, box, curve, cut, join, line, oval, poly } from './shapes.js'

const umbrella: Noun = {
  words: ['umbrella', 'parasol'],
  home: 'land',
  color: '#d2402f',
  height: 0.36,
  width: 1,
  parts: () => {
    const canopy = cut(
      oval([0, 0.52], [0.5, 0.44]),
      join(
        [-0.375, -0.125, 0.125, 0.375]
          .map((x) => oval([x, 0.48], [0.126, 0.075]))
          .concat(box([0, 0.2], [0.7, 0.29])),
      ),
    )
    return [
      part('#6b4a35', line([0, 0.96], [0, 0.12], 0.014), { bulge: 0.014 }),
      part(
        '#6b4a35',
        curve(
          [
            [0, 0.12],
            [0.01, -0.03],
            [0.12, 0.07],
          ],
          0.022,
        ),
        { bulge: 0.02 },
      ),
      part('main', canopy, { bulge: 0.2 }),
      part('pale', cut(oval([0, 0.5], [0.25, 0.47]), oval([0, 0.4], [0.12, 0.55])), {
        on: canopy,
        bulge: 0.2,
        alpha: 0.75,
      }),
      part('#6b4a35', line([0, 0.95], [0, 1.02], [0.012, 0.008]), { bulge: 0.01 }),
    ]
  },
}

const heart: Noun = {
  words: ['heart'],
  home: 'sky',
  indoor: 'either',
  color: '#dd3350',
  height: 0.36,
  width: 1.05,
  shadowless: true,
  parts: () => [
    part(
      'main',
      blob([
        [0, 0.74],
        [0.16, 0.95],
        [0.38, 0.96],
        [0.52, 0.76],
        [0.46, 0.5],
        [0.24, 0.22],
        [0, 0.02],
        [-0.24, 0.22],
        [-0.46, 0.5],
        [-0.52, 0.76],
        [-0.38, 0.96],
        [-0.16, 0.95],
      ]),
      { bulge: 0.2 },
    ),
    part('#ffffff', oval([-0.28, 0.76], [0.08, 0.12], 0.08), { alpha: 0.35, blur: 0.06, bulge: 0 }),
  ],
}

const balloon: Noun = {
  words: ['balloon'],
  home: 'sky',
  indoor: 'either',
  color: '#d9303a',
  height: 0.36,
  width: 0.46,
  shadowless: true,
  parts: () => [
    part(
      '#efe9df',
      curve(
        [
          [0, 0.42],
          [0.07, 0.22],
          [-0.02, 0],
        ],
        0.006,
      ),
      { bulge: 0 },
    ),
    part(
      'main',
      poly(
        [
          [-0.03, 0.405],
          [0.03, 0.405],
          [0, 0.45],
        ],
        0.008,
      ),
      { bulge: 0.02 },
    ),
    part(
      'main',
      blob([
        [0, 1],
        [0.16, 0.95],
        [0.225, 0.77],
        [0.17, 0.56],
        [0.05, 0.445],
        [-0.05, 0.445],
        [-0.17, 0.56],
        [-0.225, 0.77],
        [-0.16, 0.95],
      ]),
      { bulge: 0.2 },
    ),
    part('#ffffff', oval([-0.1, 0.84], [0.035, 0.075], -0.06), { alpha: 0.5, blur: 0.025, bulge: 0 }),
  ],
}

const kite: Noun = {
  words: ['kite'],
  home: 'sky',
  color: '#e0473a',
  height: 0.36,
  width: 0.75,
  shadowless: true,
  parts: () => [
    part(
      '#efe9df',
      curve(
        [
          [0.05, 0.5],
          [0.2, 0.2],
          [-0.05, -0.6],
        ],
        0.004,
      ),
      { bulge: 0 },
    ),
    part(
      '#efe9df',
      curve(
        [
          [-0.03, 0.35],
          [-0.22, 0.22],
          [-0.16, 0.02],
        ],
        0.006,
      ),
      { bulge: 0 },
    ),
    ...[0.26, 0.17, 0.07].map((y, i) =>
      part(
        i % 2 ? 'main' : '#f3c33c',
        poly([
          [-0.2, y + 0.03],
          [-0.2, y - 0.03],
          [-0.09, y + 0.03],
          [-0.09, y - 0.03],
        ]),
        { bulge: 0 },
      ),
    ),
    part(
      'main',
      poly([
        [0.12, 1],
        [0.4, 0.74],
        [-0.02, 0.34],
        [-0.2, 0.72],
      ]),
      { bulge: 0.06 },
    ),
    part(
      '#f3c33c',
      poly([
        [0.12, 1],
        [0.087, 0.72],
        [-0.2, 0.72],
      ]),
      { bulge: 0.05 },
    ),
    part(
      '#f3c33c',
      poly([
        [0.4, 0.74],
        [0.087, 0.72],
        [-0.02, 0.34],
      ]),
      { bulge: 0.05 },
    ),
  ],
}

const cup: Noun = {
  words: ['cup', 'mug', 'cup of coffee', 'cup of tea', 'coffee', 'tea'],
  home: 'land',
  indoor: true,
  color: '#3f7fb0',
  height: 0.28,
  width: 1,
  parts: (): Part[] => [
    ...[-0.12, 0.1].map((x) =>
      part(
        '#ffffff',
        curve(
          [
            [x, 0.76],
            [x + 0.09, 0.86],
            [x - 0.01, 1],
          ],
          [0.03, 0.012],
        ),
        { alpha: 0.5, blur: 0.03, bulge: 0 },
      ),
    ),
    part('main', cut(oval([0.36, 0.38], [0.17, 0.19]), oval([0.36, 0.38], [0.1, 0.12])), { bulge: 0.05 }),
    part(
      'main',
      blob([
        [-0.38, 0.66],
        [-0.37, 0.3],
        [-0.26, 0.04],
        [0, 0],
        [0.26, 0.04],
        [0.37, 0.3],
        [0.38, 0.66],
        [0, 0.6],
      ]),
      { bulge: 0.16 },
    ),
    part('pale', oval([0, 0.65], [0.39, 0.09]), { bulge: 0.03 }),
    part('#4f2f1e', oval([0, 0.64], [0.33, 0.065]), { bulge: 0.02 }),
  ],
}

/** Objects that can be held. */
export const objects: readonly Noun[] = [umbrella, heart, balloon, kite, cup]
