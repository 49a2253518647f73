import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { visibleText } from '@capstan/core/internal'
import { UsageError } from '../exit-codes.js'
import type { MarkedFile } from './terminal-keys.js'

/**
 * Returns the files if the text consists only of absolute paths, as terminals paste dropped files; otherwise an empty
 * array. A path within other text is not a file, because the user did not choose it.
 */
export function droppedFiles(text: string): readonly MarkedFile[] {
  const paths = splitPaths(text).map(toPath)
  const areFiles = paths.every((path) => isAbsolute(path) && isFile(path))
  return areFiles ? paths.map(toMarkedFile) : []
}

/** Returns the file that an option names. @throws UsageError for a path that is missing or not a file */
export function namedFile(path: string): MarkedFile {
  if (isFile(path)) return toMarkedFile(path)
  throw new UsageError(`No such file: ${visibleText(path)}.`)
}

/**
 * Returns the files that the user names after a command: one path, or several in shell notation.
 * @throws UsageError for a path that is missing or not a file
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

/** Whether a path is a regular file. Reading a pipe or device might never end. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Converts a word to a path: reads a `file:` URL, and `~/` as the home folder. */
function toPath(word: string): string {
  if (word.startsWith('~/')) return join(homedir(), word.slice(2))
  if (!word.startsWith('file://')) return word
  try {
    return fileURLToPath(word)
  } catch {
    return word
  }
}

/** Splits a line into words as shells do: quotes group characters, and a backslash escapes the next one. */
function splitPaths(text: string): string[] {
  const words: string[] = []
  const pattern = process.platform === 'win32' ? windowsWord : word
  for (const [found] of text.trim().matchAll(pattern))
    words.push(
      // An address has its own escapes.
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
