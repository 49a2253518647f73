import { expect, test } from 'vitest'
import { cpuTime } from '../../../core/test/cpu-time.js'
import { parseConversation } from '../endpoints/messages-content.js'
import { parseInput } from '../endpoints/responses-input.js'
import { toCalls } from './conversation.js'

const count = 20_000
const each = <T>(make: (id: string) => T) => Array.from({ length: count }, (_, at) => make(`c${at}`))
const last = <T>(make: (id: string) => T) => each(make).reverse()

test('reads 20,000 calls with their results, in any order, in linear time', async () => {
  const user = { role: 'user', content: 'x' }
  const items = [
    user,
    ...each((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })),
    ...last((call_id) => ({ type: 'function_call_output', call_id, output: 'x' })),
  ]
  const uses = each((id) => ({ type: 'tool_use', id, name: 'f', input: {} }))
  const results = last((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }))
  const turns = [user, { role: 'assistant', content: uses }, { role: 'user', content: results }]
  const took = await cpuTime(() => {
    for (const messages of [parseInput(items, () => undefined), parseConversation(turns)])
      expect(toCalls(messages)).toHaveLength(count)
  })
  expect(took).toBeLessThan(1500)
})
