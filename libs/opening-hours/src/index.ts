export { isOpenAt, nextClosing, nextOpening, type OpeningHours, type Window } from './opening-hours.ts';
