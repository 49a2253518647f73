// Exports for sibling packages that serve HTTP requests. Not for applications: these names can change without notice.

export { toArtifactResponse } from './artifacts.js'
export { HttpError, invalidRequest, methodNotAllowed, toErrorResponse } from './http-error.js'
