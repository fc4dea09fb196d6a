import type { OperationDefinition } from '@parley/contracts';

/** What an operation answers for an id that does not exist (service-api, section 7). */
export function notFoundBody(operation: OperationDefinition): object {
  const { errorShape, notFoundMessage, notFoundErrorCode } = operation;
  switch (errorShape) {
    case 'message':
      return { message: notFoundMessage };
    case 'error':
      return { error: notFoundMessage };
    case 'conversation':
      return { status: false, error: notFoundMessage };
    case 'coded':
      return { message: notFoundMessage, error: 'not_found' };
    case 'chatapp':
      return { success: false, error: notFoundMessage, error_code: notFoundErrorCode };
    default:
      return errorShape satisfies never;
  }
}

/** Whether the body of a fault of the request's form has the operation's shape. */
export function isFaultOf({ errorShape }: OperationDefinition, status: number, body: unknown): boolean {
  const { message, error, error_code, success, status: flag } = Object(body);
  switch (errorShape) {
    case 'chatapp':
      return success === false && typeof error === 'string' && error_code === 'VALIDATION_FAILED';
    case 'coded':
      return typeof message === 'string' && typeof error === 'string';
    case 'message':
      return typeof message === 'string';
    case 'error':
      return typeof (status === 422 ? message : error) === 'string';
    case 'conversation':
      return status === 422 ? typeof message === 'string' : flag === false && typeof error === 'string';
    default:
      return errorShape satisfies never;
  }
}
