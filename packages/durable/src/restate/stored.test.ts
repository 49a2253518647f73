import { expect, test } from 'vitest'
import { decisionKey } from './stored.js'

test('decisions on a call are counted whatever the model calls it', () => {
  for (const callId of ['c1', '__proto__', 'constructor']) {
    expect(decisionKey(callId, {})).toBe(`decision 0 ${callId}`)
    const refused = JSON.parse(`{${JSON.stringify(callId)}: 1}`)
    expect(decisionKey(callId, refused)).toBe(`decision 1 ${callId}`)
  }
})
