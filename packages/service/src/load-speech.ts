import { ServiceError } from './http/service-error.js'

export type SpeechPackage = typeof import('@capstan/speech')

/** The optional package that speaks and listens; 501 with the line that installs it when it is not there. */
export async function loadSpeech(): Promise<SpeechPackage> {
  try {
    return await import('@capstan/speech')
  } catch (error) {
    if (!isNotInstalled(error, '@capstan/speech')) throw error
    const message =
      'Speech is an optional part of this service. Install it beside it: npm install @capstan/speech'
    throw new ServiceError(501, 'speech_not_installed', message)
  }
}

/** Whether an import failed for want of the package itself: something missing inside it is a fault, not a choice. */
export function isNotInstalled(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return /NOT_FOUND/.test(String(error.code)) && error.message.includes(`'${name}'`)
}
