import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../line/usage-error.js'
import { byJiti, type Exports } from './by-jiti.js'
import { loadFailure } from './load-failure.js'

/**
 * The exports of a user's file: JavaScript as Node reads it, TypeScript by jiti.
 * @throws UsageError when it is not there, else an error that says what keeps it from being read, and where
 */
export async function loadFile(file: string): Promise<Exports> {
  const path = resolve(file)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${file}.`)
  const { href } = pathToFileURL(path)
  try {
    if (!/\.[cm]?tsx?$/.test(path)) return await import(href)
    return hasConditions() ? await byNodeOrJiti(href) : await byJiti(href)
  } catch (cause) {
    throw loadFailure(file, path, cause)
  }
}

/** jiti does not know the conditions that Node was started with; where there are any, Node goes first. */
function hasConditions(): boolean {
  return process.execArgv.some((argument) => /^(?:-C|--conditions)\b/.test(argument))
}

async function byNodeOrJiti(href: string): Promise<Exports> {
  try {
    return await import(href)
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return byJiti(href)
    throw error
  }
}
