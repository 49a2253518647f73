import type { CapstanError } from '@capstan/core'
import type { MediaDialect } from './dialect.js'

/** Whether an error may say something of the server, and not of its state or of the key. */
export function isRefusal({ status = 0 }: CapstanError): boolean {
  return [400, 404, 405, 415, 422, 501].includes(status)
}

/**
 * What a refusal says of a server: the field it does not know, the form it does not take, the endpoint it lacks.
 * Undefined when it says nothing of the kind.
 */
export function learnDialect(error: CapstanError, dialect: MediaDialect): Partial<MediaDialect> | undefined {
  if (!isRefusal(error)) return undefined
  const { status, code, message, evidence } = error
  switch (evidence?.endpoint) {
    case '/images/variations':
      return code === 'unsupported' ? { variations: false } : withoutDelivery(message, dialect)
    case '/images/edits': {
      const wantsJson = status === 415 || /json|multipart/i.test(message)
      return dialect.edits === 'multipart' && wantsJson
        ? { edits: 'json' }
        : withoutDelivery(message, dialect)
    }
    case '/images/generations':
      return withoutDelivery(message, dialect)
    case '/audio/speech': {
      const other = dialect.speechFormat === 'format' ? 'response_format' : 'format'
      return isUnknown(dialect.speechFormat, message) ? { speechFormat: other } : undefined
    }
    default:
      return undefined
  }
}

function withoutDelivery(
  message: string,
  { imageDelivery }: MediaDialect,
): Partial<MediaDialect> | undefined {
  return imageDelivery !== null && isUnknown('response_format', message) ? { imageDelivery: null } : undefined
}

/** Whether a refusal is about a field, and not about its value. */
function isUnknown(field: string, message: string): boolean {
  const isNamed = new RegExp(`(^|[^a-z_])${field}([^a-z_]|$)`, 'i').test(message)
  return (
    isNamed &&
    /unknown|unrecogni[sz]ed|unexpected|not permitted|extra|unsupported param|not allowed/i.test(message)
  )
}
