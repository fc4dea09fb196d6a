import { Module } from '@nestjs/common';
import { NumberController } from './number/number.controller.ts';

@Module({ controllers: [NumberController] })
export class TelephonyModule {}
