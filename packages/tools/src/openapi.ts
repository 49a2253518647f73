export { openapiTools } from './openapi/openapi-tools.js'
export type {
  OpenApiCredential,
  OpenApiOperation,
  OpenApiResult,
  OpenApiTool,
  OpenApiToolSettings,
  OpenApiTools,
  OpenApiToolsOptions,
  SkippedOperation,
} from './openapi/options.js'
