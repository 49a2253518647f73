import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { from, loadService } from './service.js'

test('where the service is not installed it is told how to install it', async () => {
  const sentence = 'Install it: npm install --save-dev @capstan/service @capstan/speech'
  await expect(loadService([() => from(tmpdir())])).rejects.toThrow(sentence)
})

test('it is found beside the command, or by a later way', async () => {
  expect((await loadService()).startService).toBeTypeOf('function')
  expect(
    (await loadService([() => from(tmpdir()), () => import('@capstan/service')])).startService,
  ).toBeTypeOf('function')
})

test('a service that is broken is not told as absent', async () => {
  const broken = async () => {
    throw new TypeError('Broken.')
  }
  await expect(loadService([broken])).rejects.toThrow('Broken.')
})
