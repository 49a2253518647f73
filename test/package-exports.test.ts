import { expect, test } from 'vitest'

// A new public name shows up here, in review; taking one back later breaks somebody.
test.each([
  ['@capstan/code', () => import('@capstan/code')],
  ['@capstan/core', () => import('@capstan/core')],
  ['@capstan/core/lean', () => import('@capstan/core/lean')],
  ['@capstan/core/openai', () => import('@capstan/core/openai')],
  ['@capstan/core/ai-sdk', () => import('@capstan/core/ai-sdk')],
  ['@capstan/core/responses', () => import('@capstan/core/responses')],
  ['@capstan/core/node', () => import('@capstan/core/node')],
  ['@capstan/core/zod3', () => import('@capstan/core/zod3')],
  ['@capstan/core/messages', () => import('@capstan/core/messages')],
  ['@capstan/core/internal', () => import('@capstan/core/internal')],
  ['@capstan/durable', () => import('@capstan/durable')],
  ['@capstan/durable/dbos', () => import('@capstan/durable/dbos')],
  ['@capstan/durable/restate', () => import('@capstan/durable/restate')],
  ['@capstan/durable/testing', () => import('@capstan/durable/testing')],
  ['@capstan/http', () => import('@capstan/http')],
  ['@capstan/http/node', () => import('@capstan/http/node')],
  ['@capstan/http/parts', () => import('@capstan/http/parts')],
  ['@capstan/mcp', () => import('@capstan/mcp')],
  ['@capstan/media', () => import('@capstan/media')],
  ['@capstan/service', () => import('@capstan/service')],
  ['@capstan/service/vitest', () => import('@capstan/service/vitest')],
  ['@capstan/speech', () => import('@capstan/speech')],
  ['@capstan/stores', () => import('@capstan/stores')],
  ['@capstan/stores/d1', () => import('@capstan/stores/d1')],
  ['@capstan/stores/node', () => import('@capstan/stores/node')],
  ['@capstan/stores/postgres', () => import('@capstan/stores/postgres')],
  ['@capstan/stores/sqlite', () => import('@capstan/stores/sqlite')],
  ['@capstan/telemetry', () => import('@capstan/telemetry')],
  ['@capstan/testing', () => import('@capstan/testing')],
  ['@capstan/testing/compare', () => import('@capstan/testing/compare')],
  ['@capstan/testing/recording', () => import('@capstan/testing/recording')],
  ['@capstan/testing/vitest', () => import('@capstan/testing/vitest')],
  ['@capstan/tools/files', () => import('@capstan/tools/files')],
  ['@capstan/tools/frameworks', () => import('@capstan/tools/frameworks')],
  ['@capstan/tools/openapi', () => import('@capstan/tools/openapi')],
  ['@capstan/tools/search', () => import('@capstan/tools/search')],
  ['@capstan/tools/skills', () => import('@capstan/tools/skills')],
])('%s exports these names', async (_name, load) => {
  expect(Object.keys(await load()).sort()).toMatchSnapshot()
})

// Editors offer public names wherever such a word is typed.
test.each([
  ['@capstan/core', () => import('@capstan/core')],
  ['@capstan/testing', () => import('@capstan/testing')],
  ['@capstan/testing/recording', () => import('@capstan/testing/recording')],
])('%s exports no word that programs use for other things', async (_name, load) => {
  const common = [
    'allow',
    'and',
    'ask',
    'call',
    'calls',
    'deny',
    'fail',
    'not',
    'or',
    'record',
    'replace',
    'replay',
  ]
  const names = Object.keys(await load())
  expect(names.filter((name) => [...common, 'text'].includes(name))).toEqual([])
})
