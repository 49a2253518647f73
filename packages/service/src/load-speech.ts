import { ServiceError } from './http/service-error.js'

export type SpeechPackage = typeof import('@capstan/speech')

/** Loads the optional speech package. Throws a 501 with the install command if it is not installed. */
export async function loadSpeech(): Promise<SpeechPackage> {
  try {
    return await import(/* webpackIgnore: true */ '@capstan/speech')
  } catch (error) {
    if (!isNotInstalled(error, '@capstan/speech')) throw error
    const message = 'Speech needs an optional package. Install it: npm install @capstan/speech'
    throw new ServiceError(501, 'speech_not_installed', message)
  }
}

/**
 * Whether an import failed because this package is not installed. A module that is missing inside the package is a bug.
 */
export function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return /NOT_FOUND/.test(String(error.code)) && error.message.includes(`'${name}'`)
}
