import { expect, test } from 'vitest'
import { loadMediabunny } from './packet-chunks.js'

test('says why the package is needed and how to install it', async () => {
  const missing = () => Promise.reject(new Error("Cannot find package 'mediabunny'"))
  await expect(loadMediabunny('"aud_a" is above the 25000000 bytes.', missing)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(/^"aud_a" is above the 25000000 bytes\..*npm install mediabunny/),
    evidence: { package: 'mediabunny' },
  })
})

test('finds the installed package', async () => {
  expect(await loadMediabunny('')).toHaveProperty('EncodedPacketSink')
})
