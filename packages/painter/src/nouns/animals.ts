import { type Noun, part } from './part.js'
import { blob, box, curve, join, line, oval, poly } from './shapes.js'

const ink = '#2b2530'

const cat: Noun = {
  words: ['cat', 'kitten', 'kitty'],
  home: 'land',
  indoor: 'either',
  color: '#e0913f',
  height: 0.36,
  width: 1.1,
  parts: () => [
    part(
      'main',
      curve(
        [
          [0.2, 0.06],
          [0.62, 0.02],
          [0.47, 0.48],
        ],
        [0.06, 0.035],
      ),
      { bulge: 0.06 },
    ),
    part('main', join([oval([0, 0.24], [0.28, 0.24]), oval([0, 0.44], [0.19, 0.2])], 0.15), { bulge: 0.22 }),
    part('pale', oval([0, 0.36], [0.105, 0.18]), { bulge: 0.1, blur: 0.02 }),
    part(
      'main',
      join([line([-0.08, 0.34], [-0.09, 0.06], 0.062), oval([-0.1, 0.045], [0.085, 0.05])], 0.05),
      { bulge: 0.05 },
    ),
    part('main', join([line([0.08, 0.34], [0.09, 0.06], 0.062), oval([0.1, 0.045], [0.085, 0.05])], 0.05), {
      bulge: 0.05,
    }),
    part(
      'main',
      poly(
        [
          [-0.2, 0.78],
          [-0.19, 0.99],
          [-0.04, 0.87],
        ],
        0.012,
      ),
      { bulge: 0.05 },
    ),
    part(
      'main',
      poly(
        [
          [0.2, 0.78],
          [0.19, 0.99],
          [0.04, 0.87],
        ],
        0.012,
      ),
      { bulge: 0.05 },
    ),
    part(
      '#f2b8b0',
      poly([
        [-0.17, 0.82],
        [-0.165, 0.94],
        [-0.08, 0.87],
      ]),
      { bulge: 0 },
    ),
    part(
      '#f2b8b0',
      poly([
        [0.17, 0.82],
        [0.165, 0.94],
        [0.08, 0.87],
      ]),
      { bulge: 0 },
    ),
    part(
      'main',
      join(
        [
          oval([0, 0.72], [0.225, 0.185]),
          oval([-0.1, 0.665], [0.11, 0.09]),
          oval([0.1, 0.665], [0.11, 0.09]),
        ],
        0.06,
      ),
      { bulge: 0.16 },
    ),
    ...[-0.07, 0, 0.07].map((x) =>
      part('deep', line([x, 0.89 - Math.abs(x) * 0.3], [x * 0.8, 0.81], [0.014, 0.006]), { bulge: 0 }),
    ),
    part('pale', join([oval([-0.055, 0.645], [0.075, 0.055]), oval([0.055, 0.645], [0.075, 0.055])], 0.03), {
      bulge: 0.05,
    }),
    ...[-0.1, 0.1].flatMap((x) => [
      part('#f4f2d8', oval([x, 0.745], [0.052, 0.056]), { bulge: 0 }),
      part('#6fae4a', oval([x, 0.743], [0.043, 0.049]), { bulge: 0.02 }),
      part(ink, oval([x, 0.743], [0.018, 0.042]), { bulge: 0 }),
      part('#ffffff', oval([x - 0.014, 0.765], 0.011), { bulge: 0 }),
    ]),
    part(
      '#d9707a',
      poly(
        [
          [-0.026, 0.692],
          [0.026, 0.692],
          [0, 0.664],
        ],
        0.008,
      ),
      { bulge: 0.02 },
    ),
    part(
      ink,
      curve(
        [
          [0, 0.664],
          [-0.01, 0.622],
          [-0.05, 0.634],
        ],
        0.005,
      ),
      { bulge: 0 },
    ),
    part(
      ink,
      curve(
        [
          [0, 0.664],
          [0.01, 0.622],
          [0.05, 0.634],
        ],
        0.005,
      ),
      { bulge: 0 },
    ),
    ...[-1, 1].flatMap((side) =>
      [0.02, -0.005, -0.03].map((rise) =>
        part('#fffaf0', line([side * 0.1, 0.655 + rise * 0.4], [side * 0.31, 0.66 + rise * 1.6], 0.0035), {
          bulge: 0,
          alpha: 0.85,
        }),
      ),
    ),
  ],
}

const dog: Noun = {
  words: ['dog', 'puppy', 'hound'],
  home: 'land',
  indoor: 'either',
  color: '#b9804a',
  height: 0.38,
  width: 0.85,
  parts: () => [
    part(
      'main',
      curve(
        [
          [0.2, 0.12],
          [0.42, 0.12],
          [0.43, 0.36],
        ],
        [0.05, 0.025],
      ),
      { bulge: 0.05 },
    ),
    part('main', join([oval([0.02, 0.23], [0.26, 0.23]), oval([0, 0.44], [0.18, 0.22])], 0.15), {
      bulge: 0.2,
    }),
    part('pale', oval([0, 0.4], [0.1, 0.17]), { bulge: 0.1, blur: 0.03 }),
    ...[-1, 1].map((side) =>
      part(
        'main',
        join(
          [
            line([side * 0.085, 0.36], [side * 0.095, 0.06], 0.062),
            oval([side * 0.105, 0.045], [0.085, 0.05]),
          ],
          0.05,
        ),
        { bulge: 0.05 },
      ),
    ),
    part('#c9403f', box([0, 0.565], [0.13, 0.024], 0.02), { bulge: 0.03 }),
    part('#f2c84b', oval([0, 0.53], 0.028), { bulge: 0.03 }),
    part('main', join([oval([0, 0.78], [0.19, 0.18]), oval([0, 0.69], [0.15, 0.12])], 0.08), { bulge: 0.15 }),
    ...[-1, 1].map((side) =>
      part(
        'deep',
        blob([
          [side * 0.1, 0.94],
          [side * 0.2, 0.93],
          [side * 0.27, 0.8],
          [side * 0.26, 0.66],
          [side * 0.2, 0.64],
          [side * 0.165, 0.76],
        ]),
        { bulge: 0.05 },
      ),
    ),
    part('pale', join([oval([0, 0.665], [0.115, 0.085]), oval([0, 0.8], [0.028, 0.12])], 0.06), {
      bulge: 0.07,
    }),
    part('#e46b78', join([oval([0, 0.6], [0.034, 0.03]), box([0, 0.62], [0.034, 0.02])]), { bulge: 0.03 }),
    ...[-0.085, 0.085].flatMap((x) => [
      part(ink, oval([x, 0.785], [0.03, 0.034]), { bulge: 0 }),
      part('#ffffff', oval([x - 0.01, 0.799], 0.01), { bulge: 0 }),
    ]),
    part(ink, oval([0, 0.715], [0.047, 0.034]), { bulge: 0.02 }),
    part('#8b8594', oval([-0.012, 0.727], [0.014, 0.007]), { bulge: 0 }),
    part(
      ink,
      curve(
        [
          [0, 0.69],
          [-0.01, 0.625],
          [-0.075, 0.65],
        ],
        0.006,
      ),
      { bulge: 0 },
    ),
    part(
      ink,
      curve(
        [
          [0, 0.69],
          [0.01, 0.625],
          [0.075, 0.65],
        ],
        0.006,
      ),
      { bulge: 0 },
    ),
  ],
}

const rabbit: Noun = {
  words: ['rabbit', 'bunny', 'hare'],
  home: 'land',
  indoor: 'either',
  color: '#c9b6a4',
  height: 0.32,
  width: 0.62,
  parts: () => [
    part('pale', oval([0.25, 0.13], 0.08), { bulge: 0.08 }),
    part('main', join([oval([0, 0.2], [0.25, 0.2]), oval([0, 0.34], [0.17, 0.16])], 0.12), { bulge: 0.18 }),
    part('pale', oval([0, 0.24], [0.13, 0.15]), { bulge: 0.1, blur: 0.03 }),
    ...[-1, 1].flatMap((side) => [
      part('main', oval([side * 0.13, 0.05], [0.12, 0.055]), { bulge: 0.05 }),
      part('main', oval([side * 0.075, 0.26], [0.05, 0.1], side * 0.04), { bulge: 0.05 }),
      part('main', oval([side * 0.095, 0.8], [0.062, 0.2], side * -0.03), { bulge: 0.06 }),
      part('#efb3b3', oval([side * 0.095, 0.79], [0.032, 0.15], side * -0.03), { bulge: 0 }),
    ]),
    part('main', join([oval([0, 0.54], [0.185, 0.155]), oval([0, 0.49], [0.2, 0.1])], 0.08), { bulge: 0.13 }),
    part('pale', join([oval([-0.045, 0.475], [0.06, 0.045]), oval([0.045, 0.475], [0.06, 0.045])], 0.03), {
      bulge: 0.04,
    }),
    ...[-0.085, 0.085].flatMap((x) => [
      part(ink, oval([x, 0.565], [0.027, 0.034]), { bulge: 0 }),
      part('#ffffff', oval([x - 0.008, 0.58], 0.009), { bulge: 0 }),
    ]),
    part('#e0808c', oval([0, 0.515], [0.024, 0.017]), { bulge: 0.015 }),
    part('#ffffff', box([0, 0.43], [0.022, 0.024], 0.006), { bulge: 0 }),
  ],
}

const butterfly: Noun = {
  words: ['butterfly', 'moth'],
  home: 'sky',
  color: '#e8823a',
  height: 0.16,
  width: 1.15,
  shadowless: true,
  parts: () => [
    ...[-1, 1].flatMap((side) => [
      part(
        'main',
        blob([
          [side * 0.03, 0.5],
          [side * 0.22, 0.88],
          [side * 0.5, 0.97],
          [side * 0.56, 0.72],
          [side * 0.4, 0.5],
          [side * 0.16, 0.42],
        ]),
        { bulge: 0.08 },
      ),
      part(
        'deep',
        blob([
          [side * 0.03, 0.46],
          [side * 0.22, 0.44],
          [side * 0.42, 0.3],
          [side * 0.34, 0.06],
          [side * 0.16, 0.12],
        ]),
        { bulge: 0.08 },
      ),
      part('pale', oval([side * 0.36, 0.75], [0.11, 0.075], side * 0.08), { bulge: 0.04 }),
      part('pale', oval([side * 0.27, 0.26], [0.065, 0.075]), { bulge: 0.04 }),
      part(ink, oval([side * 0.49, 0.85], 0.026), { bulge: 0 }),
      part(ink, oval([side * 0.5, 0.7], 0.022), { bulge: 0 }),
      part(
        ink,
        curve(
          [
            [side * 0.015, 0.72],
            [side * 0.04, 0.9],
            [side * 0.14, 0.95],
          ],
          0.009,
        ),
        { bulge: 0 },
      ),
    ]),
    part(ink, line([0, 0.72], [0, 0.22], [0.04, 0.022]), { bulge: 0.04 }),
  ],
}

/** Animals of meadow and garden. */
export const animals: readonly Noun[] = [cat, dog, rabbit, butterfly]
