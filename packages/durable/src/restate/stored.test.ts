import { expect, test } from 'vitest'
import { decisionKey } from './stored.js'

test('counts decisions for any call id', () => {
  for (const callId of ['c1', '__proto__', 'constructor']) {
    expect(decisionKey(callId, {})).toBe(`decision 0 ${callId}`)
    const refused = JSON.parse(`{${JSON.stringify(callId)}: 1}`)
    expect(decisionKey(callId, refused)).toBe(`decision 1 ${callId}`)
  }
})
