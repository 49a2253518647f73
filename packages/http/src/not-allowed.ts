import { HttpError } from './http-error.js'

export function notAllowed(allow: string): HttpError {
  return new HttpError(405, 'method_not_allowed', `Use ${allow}.`, { allow })
}
