import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kindOf } from '../src/picture.js'
import { painted, withVocabulary } from './write-painting-page.js'

const docs = new URL('../../../docs/', import.meta.url)
const page = readFileSync(new URL('local-service/painting.md', docs), 'utf8')

test('the page lists the vocabulary: run packages/painter/test/write-painting-page.ts after a change', () => {
  expect(page).toContain('<!-- vocabulary -->\nThe painter draws ')
  expect(withVocabulary(page)).toBe(page)
})

test('the page shows the prompt of each image', () => {
  for (const [name, prompt] of Object.entries(painted)) {
    expect(page).toContain(`![${prompt}](../pictures/${name}.webp)`)
    const file = readFileSync(new URL(`pictures/${name}.webp`, docs))
    expect(kindOf(file)).toEqual({ kind: 'webp' })
    expect(file.length).toBeLessThan(10_000)
  }
})
