import { expect, test } from 'vitest'
import { loadMediabunny } from './packet-chunks.js'

test('names the package, and what the model can do without it', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'mediabunny'"))
  await expect(loadMediabunny('"aud_a" is above the 25000000 bytes.', missing)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(
      /^"aud_a" is above the 25000000 bytes\. Use a WAV instead: .*"mediabunny" is not installed\.$/,
    ),
    evidence: { package: 'mediabunny' },
  })
})

test('finds the installed package', async () => {
  expect(await loadMediabunny('')).toHaveProperty('EncodedPacketSink')
})
