import type { Artifact } from '@capstan/core'
import { expect, test } from 'vitest'
import { nodesOf, rowsOfLineage } from './lineage.js'

const artifact = (id: `img_${string}`): Artifact => ({
  id,
  kind: 'image',
  mediaType: 'image/png',
  size: 1,
  sha256: id,
})
const edge = (from: string, to: string) => ({
  from,
  to,
  tool: 'edit_image',
  callId: `${from}${to}`,
  run: 'r',
})
const outline = (rows: ReturnType<typeof rowsOfLineage>) =>
  rows.map(({ node, level, isAgain }) => `${'-'.repeat(level)}${node.id}${isAgain ? ' again' : ''}`)

test('what was made from an artifact stands below it', () => {
  const lineage = {
    nodes: ['img_a', 'img_b', 'img_c', 'img_m'].map((id) => artifact(id as `img_${string}`)),
    edges: [edge('img_a', 'img_b'), edge('img_m', 'img_b'), edge('img_b', 'img_c'), edge('img_c', 'gone')],
  }
  expect(outline(rowsOfLineage(lineage))).toEqual([
    '-img_a',
    '--img_b',
    '---img_c',
    '----gone',
    '-img_m',
    '--img_b again',
  ])
  expect(nodesOf(lineage).filter((node) => !node.artifact)).toEqual([{ id: 'gone' }])
})

test('a circle has an end', () => {
  const lineage = { nodes: [artifact('img_a')], edges: [edge('img_a', 'img_b'), edge('img_b', 'img_a')] }
  expect(outline(rowsOfLineage(lineage))).toEqual(['-img_a', '--img_b', '---img_a again'])
})
