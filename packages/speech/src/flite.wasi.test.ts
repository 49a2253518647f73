import { expect, test } from 'vitest'
import { loadFlite, runProgram } from './flite.js'

const hello = ['flite', '-voice', 'kal', '-t', 'hello', '-o']

test('a program gives back the file it wrote, under whatever name', async () => {
  const wav = await runProgram(await loadFlite(), [...hello, 'hello.wav'])
  expect(new TextDecoder().decode(wav.subarray(0, 4))).toBe('RIFF')
  expect(await runProgram(await loadFlite(), [...hello, '/some/where/else'])).toEqual(wav)
})

test('a program that writes no file gives back no bytes', async () => {
  expect(await runProgram(await loadFlite(), [...hello, 'none'])).toHaveLength(0)
})

test('a program that wants to read a file of this machine finds nothing in it', async () => {
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

test('a program that fails throws its exit code and its own words', async () => {
  const failing = runProgram(await loadFlite(), ['flite', '--version'])
  await expect(failing).rejects.toThrow(/exit code 1: .*Carnegie Mellon University/s)
})
