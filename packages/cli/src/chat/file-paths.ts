import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { visibleText } from '@capstan/core/internal'
import { UsageError } from '../exit-codes.js'
import type { MarkedFile } from './terminal-keys.js'

/**
 * Returns the files if the text consists only of absolute paths, which terminals paste when the user drops files.
 * Otherwise returns an empty array, because a path within longer text does not mean that the user wants to attach the
 * file.
 */
export function droppedFiles(text: string): readonly MarkedFile[] {
  const paths = splitPaths(text).map(toPath)
  const areFiles = paths.every((path) => isAbsolute(path) && isFile(path))
  return areFiles ? paths.map(toMarkedFile) : []
}

/** Returns the file at a path that was passed to an option. @throws UsageError if the file is missing or not regular */
export function namedFile(path: string): MarkedFile {
  if (isFile(path)) return toMarkedFile(path)
  throw new UsageError(`No such file: ${visibleText(path)}.`)
}

/**
 * Returns the files in the arguments of a command: one path, or several that are quoted as in a shell.
 * @throws UsageError if there is no path, or a file is missing or not a regular file
 */
export function namedFiles(text: string): readonly MarkedFile[] {
  const whole = text.trim()
  if (whole === '') throw new UsageError('No path. Write it after the command: /attach photo.png')
  const paths = isFile(toPath(whole)) ? [toPath(whole)] : splitPaths(whole).map(toPath)
  const missing = paths.find((path) => !isFile(path))
  if (missing === undefined) return paths.map(toMarkedFile)
  throw new UsageError(`No such file: ${visibleText(missing)}. Quote a path that contains spaces.`)
}

function toMarkedFile(path: string): MarkedFile {
  return { path, name: visibleText(basename(path)) }
}

/** Whether a path leads to a regular file. Reading from a pipe or a device might never end. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Converts a word to a path. Resolves `file:` URLs, and `~/` to the home folder. */
function toPath(word: string): string {
  if (word.startsWith('~/')) return join(homedir(), word.slice(2))
  if (!word.startsWith('file://')) return word
  try {
    return fileURLToPath(word)
  } catch {
    return word
  }
}

/** Splits a line as a shell does: quotes group words, and a backslash escapes a character (not on Windows). */
function splitPaths(text: string): string[] {
  const words: string[] = []
  const pattern = process.platform === 'win32' ? windowsWord : word
  for (const [found] of text.trim().matchAll(pattern))
    words.push(
      // A URL has its own escapes.
      found.startsWith('file://')
        ? found
        : found.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g, (all, single, double, sign) => {
            if (process.platform === 'win32' && sign !== undefined) return all
            return single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? sign
          }),
    )
  return words
}

const word = /file:\/\/\S+|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g
const windowsWord = /file:\/\/\S+|(?:"[^"]*"|[^\s"])+/g
