import { readFileSync } from 'node:fs'
import { packageFile } from './recognizer-package.js'
import type { ReadFile } from './system-calls.js'

/** The parameters of everything that hears English sounds. */
export const acousticModel = {
  '-hmm': '/en-us',
  // There is no memory to map files into; they are read.
  '-mmap': 'no',
  // Off unless asked for in this build; the model was made of sound without noise.
  '-remove_noise': 'yes',
} as const

/** Files of the English model by their names, such as `/en-us/mdef`. */
export const readModelFile: ReadFile = (name) => {
  try {
    return readFileSync(packageFile(`pocketsphinx/model/en-us${name}`))
  } catch {
    return undefined
  }
}
