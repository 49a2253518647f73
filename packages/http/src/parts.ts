// Parts for sibling packages that answer requests. Not for applications: these names change without notice.

export { toArtifactResponse } from './artifacts.js'
export { HttpError, invalidRequest, methodNotAllowed, toErrorResponse } from './http-error.js'
