import type { Endpoint } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { checkModel } from '../models.js'

/** Transcription: the form is checked, then 501, for this service has no recogniser yet. */
export const transcribe: Endpoint = toListening('transcribe speech')

/** Translation to English: the form is checked, then 501, for this service has no recogniser yet. */
export const translate: Endpoint = toListening('translate speech')

function toListening(task: string): Endpoint {
  return async ({ fields, files }) => {
    checkModel(fields.model, 'listening')
    if (!files.file) {
      throw new ServiceError(
        400,
        'missing_file',
        'Send the audio as a file in the form field "file".',
        'file',
      )
    }
    if (files.file.bytes.length === 0) {
      throw new ServiceError(400, 'empty_file', 'The file in the form field "file" is empty.', 'file')
    }
    const message = `This service cannot ${task}: it has no recogniser yet. Use a server that has one for this.`
    throw new ServiceError(501, 'not_implemented_engine', message)
  }
}
