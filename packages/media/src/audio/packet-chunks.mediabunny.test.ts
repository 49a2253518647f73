import { expect, test } from 'vitest'
import { loadMediabunny } from './packet-chunks.js'

test('without the package the error says why it is needed, and what to do', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'mediabunny'"))
  await expect(loadMediabunny('"aud_a" is above the 25000000 bytes.', missing)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(/^"aud_a" is above the 25000000 bytes\..*npm install mediabunny/),
    evidence: { package: 'mediabunny' },
  })
})

test('where it is installed it is found', async () => {
  expect(await loadMediabunny('')).toHaveProperty('EncodedPacketSink')
})
