# What R's survey package says of groups drawn as wholes: the witness of testimate/estimators/whole_groups.py.
# Makes survey_groups.json:  Rscript --vanilla tests/golden/survey_groups.R > tests/golden/survey_groups.json
suppressPackageStartupMessages(library(survey))

number <- function(x) sprintf("%.17g", x)
field <- function(name, values) {
  text <- number(values)
  sprintf('"%s": %s', name, if (length(text) == 1) text else sprintf("[%s]", paste(text, collapse = ", ")))
}
case <- function(name, ...) {
  values <- list(...)
  sprintf('  "%s": {\n    %s\n  }', name, paste(mapply(field, names(values), values), collapse = ",\n    "))
}

# 12 groups of 3 to 9 inputs, of which 3 are labeled, or all.
inputs <- 3 + (seq_len(12) * 5) %% 7
of <- function(labels, strata, groups) {
  data <- data.frame(group = rep(seq_len(12), labels))
  data$inside <- inputs[data$group]
  data$stratum <- strata[data$group]
  data$groups <- groups[data$stratum]
  data$row <- seq_along(data$group)
  data$failed <- as.numeric((data$row * 7 + data$group) %% 5 == 0 | data$group %in% c(3, 8))
  data$loss <- data$failed * (1 + data$row %% 4) / 2
  data$part <- as.numeric(data$row %% 3 != 0)
  design <- svydesign(ids = ~group + row, strata = ~stratum, fpc = ~groups + inside, data = data)
  failed <- svymean(~failed, design)
  loss <- svymean(~loss, design)
  part <- svyratio(~I(failed * part), ~part, design)
  list(sizes = inputs, labels = labels, stratum = strata - 1, groups = groups, failed = data$failed, loss = data$loss,
       part = data$part, failed_mean = coef(failed), failed_error = SE(failed), loss_mean = coef(loss),
       loss_error = SE(loss), part_mean = coef(part), part_error = SE(part))
}
simple <- rep(1, 12)
strata <- rep(c(1, 2, 3), 4)
cases <- c(
  do.call(case, c("srs_all", of(inputs, simple, 50))),
  do.call(case, c("srs_some", of(rep(3, 12), simple, 50))),
  do.call(case, c("rrs_all", of(inputs, strata, c(40, 20, 9)))),
  do.call(case, c("rrs_some", of(pmin(inputs, 4), strata, c(40, 20, 9)))))
cat(sprintf("{\n%s\n}\n", paste(cases, collapse = ",\n")))
