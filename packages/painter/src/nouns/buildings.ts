import { type Noun, part } from './part.js'
import { blob, box, join, line, oval, placed, poly } from './shapes.js'

const house: Noun = {
  words: ['house', 'home', 'cottage', 'cabin', 'hut', 'barn'],
  home: 'land',
  color: '#efdcb8',
  height: 0.44,
  width: 1.15,
  parts: () => [
    part('#9c5a45', box([0.26, 0.82], [0.055, 0.14]), { bulge: 0.03 }),
    part('#7c4434', box([0.26, 0.955], [0.072, 0.025], 0.01), { bulge: 0.02 }),
    part('#6e5f57', box([0, 0.03], [0.46, 0.035], 0.01), { bulge: 0.03 }),
    part('main', box([0, 0.3], [0.43, 0.27], 0.01), { bulge: 0.09 }),
    part('#00000a', box([0, 0.55], [0.43, 0.05]), { bulge: 0, alpha: 0.16, blur: 0.05 }),
    part(
      '#a8493a',
      poly(
        [
          [-0.53, 0.53],
          [0.53, 0.53],
          [0.34, 0.87],
          [-0.34, 0.87],
        ],
        0.02,
      ),
      { bulge: 0.06 },
    ),
    ...[0.62, 0.7, 0.78].map((y) =>
      part('#7e3229', line([-0.5 + (y - 0.53) * 0.55, y], [0.5 - (y - 0.53) * 0.55, y], 0.006), {
        bulge: 0,
        alpha: 0.6,
      }),
    ),
    ...[-0.27, 0.27].flatMap((x) => [
      part('#fbf4e4', box([x, 0.33], [0.105, 0.115], 0.01), { bulge: 0.02 }),
      part('window', box([x, 0.33], [0.085, 0.095]), { bulge: 0 }),
      part('#fbf4e4', line([x, 0.24], [x, 0.42], 0.009), { bulge: 0 }),
      part('#fbf4e4', line([x - 0.085, 0.335], [x + 0.085, 0.335], 0.009), { bulge: 0 }),
      part('#8a5a3a', box([x, 0.2], [0.115, 0.022], 0.006), { bulge: 0.015 }),
      ...[-0.075, -0.025, 0.025, 0.075].map((dx) =>
        part('#d95f70', oval([x + dx, 0.23], 0.022), { bulge: 0.02 }),
      ),
    ]),
    part('#fbf4e4', box([0, 0.22], [0.1, 0.18], 0.02), { bulge: 0.02 }),
    part('#5e7f6b', box([0, 0.21], [0.08, 0.165], 0.01), { bulge: 0.02 }),
    part('#f0c95c', oval([0.052, 0.2], 0.013), { bulge: 0.01 }),
    part('#9a938c', box([0, 0.02], [0.14, 0.022], 0.008), { bulge: 0.02 }),
  ],
}

const tower = poly([
  [-0.115, 0.08],
  [0.115, 0.08],
  [0.075, 0.76],
  [-0.075, 0.76],
])

const lighthouse: Noun = {
  words: ['lighthouse'],
  home: 'land',
  color: '#cf3a34',
  height: 0.66,
  width: 0.62,
  parts: () => [
    ...[-1, 1].flatMap((side) =>
      [0.13, 0.085].map((spread) =>
        part('#fff3c4', oval([side * 0.75, 0.86 + spread / 6], [0.75, spread]), {
          shines: true,
          nocturnal: true,
          alpha: 0.2,
          blur: spread,
        }),
      ),
    ),
    part(
      '#7d7a78',
      blob([
        [-0.32, -0.02],
        [-0.29, 0.06],
        [-0.17, 0.12],
        [0, 0.1],
        [0.15, 0.12],
        [0.25, 0.06],
        [0.31, -0.02],
      ]),
      { bulge: 0.06 },
    ),
    part(
      '#5f5d5f',
      blob([
        [-0.3, -0.02],
        [-0.22, 0.04],
        [-0.12, 0.03],
        [-0.08, -0.02],
      ]),
      { bulge: 0.05 },
    ),
    part('#f6f1e6', tower, { bulge: 0.085 }),
    ...[0.2, 0.47, 0.7].map((y) => part('main', box([0, y], [0.3, 0.065]), { on: tower, bulge: 0.085 })),
    part('#5a3b2e', box([0, 0.125], [0.034, 0.055], 0.02), { bulge: 0.02 }),
    part('window', box([0, 0.345], [0.02, 0.032], 0.015), { bulge: 0 }),
    part('window', box([0, 0.585], [0.018, 0.028], 0.013), { bulge: 0 }),
    part('#3b3d47', box([0, 0.775], [0.115, 0.018], 0.008), { bulge: 0.015 }),
    part('#ffe79a', box([0, 0.85], [0.058, 0.06]), { shines: true }),
    ...[-0.056, 0, 0.056].map((x) => part('#3b3d47', line([x, 0.79], [x, 0.91], 0.006), { bulge: 0 })),
    part(
      'main',
      blob([
        [-0.085, 0.905],
        [-0.05, 0.955],
        [0, 0.985],
        [0.05, 0.955],
        [0.085, 0.905],
      ]),
      { bulge: 0.04 },
    ),
    part('#3b3d47', line([0, 0.97], [0, 1.02], 0.006), { bulge: 0 }),
    part('#fff7d6', oval([0, 0.86], 0.16), { shines: true, alpha: 0.45, blur: 0.16 }),
  ],
}

const castle: Noun = {
  words: ['castle', 'palace', 'fortress'],
  home: 'land',
  color: '#b9b2aa',
  height: 0.5,
  width: 1.3,
  parts: () => [
    ...turret(-0.24, 0.14, 0.74),
    ...turret(0.24, 0.14, 0.74),
    ...turret(0, 0.16, 0.84),
    part('main', box([0, 0.24], [0.52, 0.24]), { bulge: 0.05 }),
    ...[-0.42, -0.28, -0.14, 0, 0.14, 0.28, 0.42].map((x) =>
      part('main', box([x, 0.5], [0.045, 0.035]), { bulge: 0.02 }),
    ),
    ...turret(-0.52, 0.12, 0.62),
    ...turret(0.52, 0.12, 0.62),
    part('deep', join([box([0, 0.12], [0.13, 0.14]), oval([0, 0.26], 0.13)]), { bulge: 0.03 }),
    part('#4f3526', join([box([0, 0.11], [0.1, 0.13]), oval([0, 0.24], 0.1)]), { bulge: 0.02 }),
    ...[-0.3, 0.3].map((x) =>
      part('window', join([box([x, 0.3], [0.03, 0.04]), oval([x, 0.34], 0.03)]), { bulge: 0 }),
    ),
  ],
}

function turret(x: number, radius: number, top: number) {
  return [
    part('main', box([x, top / 2], [radius, top / 2]), { bulge: radius * 0.8 }),
    part('deep', box([x, top - 0.01], [radius * 1.15, 0.018]), { bulge: 0.02 }),
    part(
      '#8c3f5a',
      poly(
        [
          [x - radius * 1.2, top + 0.01],
          [x + radius * 1.2, top + 0.01],
          [x, top + radius * 1.6],
        ],
        0.004,
      ),
      { bulge: 0.1 },
    ),
    part(
      '#d9a13c',
      poly([
        [x, top + radius * 1.6 + 0.06],
        [x + 0.08, top + radius * 1.6 + 0.04],
        [x, top + radius * 1.6 + 0.015],
      ]),
      { bulge: 0.01 },
    ),
    part('window', box([x, top - 0.14], [0.022, 0.045], 0.02), { bulge: 0 }),
  ]
}

const windmill: Noun = {
  words: ['windmill', 'mill'],
  home: 'land',
  color: '#e8dcc6',
  height: 0.56,
  width: 0.85,
  parts: (random) => {
    const turn = random() * 0.25
    return [
      part(
        'main',
        poly([
          [-0.2, 0],
          [0.2, 0],
          [0.12, 0.58],
          [-0.12, 0.58],
        ]),
        { bulge: 0.12 },
      ),
      part(
        '#9c4b3c',
        blob([
          [-0.15, 0.57],
          [-0.1, 0.68],
          [0, 0.74],
          [0.1, 0.68],
          [0.15, 0.57],
        ]),
        { bulge: 0.07 },
      ),
      part('#5a3b2e', join([box([0, 0.08], [0.05, 0.08]), oval([0, 0.16], 0.05)]), { bulge: 0.02 }),
      ...[0.28, 0.43].map((y) => part('window', box([0, y], [0.03, 0.035], 0.01), { bulge: 0 })),
      ...[0, 0.25, 0.5, 0.75].flatMap((quarter) => sail(turn + quarter)),
      part('#6b4a35', oval([0, 0.62], 0.032), { bulge: 0.03 }),
    ]
  },
}

function sail(turn: number) {
  const arm = placed(line([0, 0], [0.37, 0], 0.009), [0, 0.62], turn)
  const cloth = placed(box([0.23, 0.045], [0.135, 0.04]), [0, 0.62], turn)
  return [
    part('#fbf5e6', cloth, { bulge: 0.02 }),
    ...[0.12, 0.19, 0.27, 0.35].map((x) =>
      part('#8b6b50', placed(line([x, 0], [x, 0.085], 0.004), [0, 0.62], turn), { bulge: 0 }),
    ),
    part('#6b4a35', arm, { bulge: 0.01 }),
  ]
}

const tent: Noun = {
  words: ['tent'],
  home: 'land',
  color: '#e08a3c',
  height: 0.26,
  width: 1.4,
  parts: () => [
    part(
      'deep',
      poly(
        [
          [0.05, 0.96],
          [0.3, 0.92],
          [0.78, 0.02],
          [0.2, 0.02],
        ],
        0.01,
      ),
      { bulge: 0.06 },
    ),
    part(
      'main',
      poly(
        [
          [0.05, 0.97],
          [-0.62, 0.02],
          [0.6, 0.02],
        ],
        0.012,
      ),
      { bulge: 0.1 },
    ),
    part(
      '#4a3428',
      poly([
        [0.03, 0.78],
        [-0.2, 0.02],
        [0.22, 0.02],
      ]),
      { bulge: 0 },
    ),
    part(
      'pale',
      blob([
        [0.03, 0.8],
        [-0.22, 0.02],
        [-0.1, 0.03],
        [-0.02, 0.4],
      ]),
      { bulge: 0.03 },
    ),
    part('#6b4a35', line([0.05, 0.94], [0.05, 1.03], 0.012), { bulge: 0 }),
  ],
}

/** Buildings. */
export const buildings: readonly Noun[] = [house, lighthouse, castle, windmill, tent]
