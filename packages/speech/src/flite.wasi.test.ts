import { expect, test } from 'vitest'
import { loadFlite, runProgram } from './flite.js'

const hello = ['flite', '-voice', 'kal', '-t', 'hello', '-o']

test('returns the file that a program writes, under any name', async () => {
  const wav = await runProgram(await loadFlite(), [...hello, 'hello.wav'])
  expect(new TextDecoder().decode(wav.subarray(0, 4))).toBe('RIFF')
  expect(await runProgram(await loadFlite(), [...hello, '/some/where/else'])).toEqual(wav)
})

test('returns no bytes for a program without a file', async () => {
  expect(await runProgram(await loadFlite(), [...hello, 'none'])).toHaveLength(0)
})

test('a program cannot read files of this machine', async () => {
  const wav = await runProgram(await loadFlite(), [
    'flite',
    '-voice',
    'kal',
    '-f',
    '/etc/passwd',
    '-o',
    'out.wav',
  ])
  const headerAlone = 44
  expect(wav).toHaveLength(headerAlone)
})

test('a failing program throws its exit code and output', async () => {
  const failing = runProgram(await loadFlite(), ['flite', '--version'])
  await expect(failing).rejects.toThrow(/exit code 1: .*Carnegie Mellon University/s)
})
