// Parts of the wire that clients of the service's other endpoints share.

export { reasonOf } from './ask/reason-of.js'
export { withoutSecrets } from './ask/redact.js'
export { type FailedResponse, type Failure, readFailure, withAdvice } from './ask/response-error.js'
export type { Secrets } from './ask/secrets.js'
export { toHeaderText } from './ask/sendable.js'
export { serverWords } from './ask/server-words.js'
export { toBaseURL } from './ask/to-base-url.js'
export { isAboutKeys } from './ask/unanswered.js'
export { type WatchedClient, watchClient } from './ask/watch-client.js'
export { environment } from './words/environment.js'
export { orAborted } from './words/or-aborted.js'
