# The table for mayfly-idempotency, and the policies for the code that uses it and for operators.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

variable "table_name" {
  type    = string
  default = "idempotency"
}

variable "point_in_time_recovery" {
  description = "Backups of the last 35 days. Records are short-lived; most tables need none."
  type        = bool
  default     = false
}

resource "aws_dynamodb_table" "idempotency" {
  name         = var.table_name
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  attribute {
    name = "id"
    type = "S"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery
  }

  # A lost table is a second run of everything that clients still retry.
  lifecycle {
    prevent_destroy = true
  }
}

# All that decorated code needs.
data "aws_iam_policy_document" "records" {
  statement {
    sid    = "IdempotencyRecords"
    effect = "Allow"
    actions = [
      "dynamodb:PutItem",
      "dynamodb:GetItem",
      "dynamodb:UpdateItem",
      "dynamodb:DeleteItem",
    ]
    resources = [aws_dynamodb_table.idempotency.arn]
  }
}

# For people with the command line: get, list and forget.
data "aws_iam_policy_document" "operator" {
  statement {
    sid    = "IdempotencyOperator"
    effect = "Allow"
    actions = [
      "dynamodb:GetItem",
      "dynamodb:Scan",
      "dynamodb:DeleteItem",
    ]
    resources = [aws_dynamodb_table.idempotency.arn]
  }
}

# Code that uses commitWith needs, besides, what each deferred write is on the table that it writes:
# dynamodb:PutItem, UpdateItem, DeleteItem or ConditionCheckItem.

resource "aws_iam_policy" "records" {
  name_prefix = "idempotency-records-"
  policy      = data.aws_iam_policy_document.records.json
}

resource "aws_iam_policy" "operator" {
  name_prefix = "idempotency-operator-"
  policy      = data.aws_iam_policy_document.operator.json
}

output "table_name" {
  description = "For the environment variable MAYFLY_IDEMPOTENCY_TABLE."
  value       = aws_dynamodb_table.idempotency.name
}

output "records_policy_arn" {
  value = aws_iam_policy.records.arn
}

output "operator_policy_arn" {
  value = aws_iam_policy.operator.arn
}
