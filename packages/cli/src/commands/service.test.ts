import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { importFrom, loadService } from './service.js'

test('says how to install a missing service', async () => {
  const sentence = 'Install it: npm install --save-dev @capstan/service @capstan/speech'
  await expect(loadService([() => importFrom(tmpdir())])).rejects.toThrow(sentence)
})

test('finds the service beside the command, or by a later way', async () => {
  expect((await loadService()).startService).toBeTypeOf('function')
  expect(
    (await loadService([() => importFrom(tmpdir()), () => import('@capstan/service')])).startService,
  ).toBeTypeOf('function')
})

test('does not report a broken service as missing', async () => {
  const broken = async () => {
    throw new TypeError('Broken.')
  }
  await expect(loadService([broken])).rejects.toThrow('Broken.')
})
