import { expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { drawnNouns } from '../drawings/drawn-nouns.js'
import { seededRandom } from '../random.js'
import { nouns as own } from './nouns.js'
import { near } from './shapes.js'

const nouns = some([...own, ...drawnNouns.filter((_, at) => at % 12 === 0)])

test('the piece of a form near a point has the same distances as the form', () => {
  const random = seededRandom(1)
  const reach = 0.05
  for (const { form } of nouns.flatMap(({ parts }) => parts(random))) {
    const [left, bottom, right, top] = form.box
    const point = [left + (right - left) * random(), bottom + (top - bottom) * random()] as const
    const piece = near(form, point, reach)
    for (let i = 0; i < 20; i++) {
      const x = point[0] + (random() - 0.5) * reach
      const y = point[1] + (random() - 0.5) * reach
      expect(piece.at(x, y)).toBeCloseTo(form.at(x, y), 3)
    }
  }
})

test('the box of a form contains it', () => {
  const random = seededRandom(2)
  for (const { form } of nouns.flatMap(({ parts }) => parts(random))) {
    const [left, bottom, right, top] = form.box
    for (let i = 0; i < 60; i++) {
      const [x, y] = [random() * 4 - 2, random() * 4 - 2]
      const outside = x < left || x > right || y < bottom || y > top
      if (outside) expect(form.at(x, y)).toBeGreaterThan(-0.02)
    }
  }
})
