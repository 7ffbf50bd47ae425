# What R's survey package says of estimates calibrated to a guess known of every input (GREG): the witness of
# testimate/estimators/difference.py and judges.py.
# Makes survey_calibrate.json:  Rscript --vanilla tests/golden/survey_calibrate.R > tests/golden/survey_calibrate.json
# Each case holds its own data, so that the tests read both from the one file.
suppressPackageStartupMessages(library(survey))

number <- function(x) sprintf("%.17g", x)
field <- function(name, values) {
  text <- if (is.character(values)) sprintf('"%s"', values) else number(values)
  sprintf('"%s": %s', name, if (length(text) == 1) text else sprintf("[%s]", paste(text, collapse = ", ")))
}
case <- function(name, ...) {
  values <- list(...)
  sprintf('  "%s": {\n    %s\n  }', name, paste(mapply(field, names(values), values), collapse = ",\n    "))
}
tight <- list(epsilon = 1e-13, maxit = 200)
calibrated <- function(design, guesses) {
  calibrate(design, ~guess, c(`(Intercept)` = length(guesses), guess = sum(guesses)), calfun = "linear",
            epsilon = tight$epsilon, maxit = tight$maxit)
}
answers <- function(name, data, guesses, design, sizes) {
  assisted <- calibrated(design, guesses)
  case(name,
    sizes = sizes, guesses = guesses, rows = data$row, strata = data$stratum, failed = data$failed, loss = data$loss,
    failed_mean = coef(svymean(~failed, assisted)), failed_standard_error = SE(svymean(~failed, assisted)),
    loss_mean = coef(svymean(~loss, assisted)), loss_standard_error = SE(svymean(~loss, assisted)))
}

N <- 100
row <- seq_len(N) - 1
guesses <- ((row * 37) %% 101) / 110
outcome <- function(rows) as.numeric((rows * 53) %% 97 < 60 * guesses[rows + 1] + 8)

# 1. A simple random sample of 24 of 100.
simple <- data.frame(row = (seq_len(24) * 29) %% N, stratum = 0)
simple$failed <- outcome(simple$row)
simple$loss <- (guesses[simple$row + 1] + ((simple$row * 7) %% 13) / 10)^2
simple$guess <- guesses[simple$row + 1]
simple$size <- N
design <- svydesign(ids = ~1, fpc = ~size, data = simple)
simple_random <- answers("simple_random", simple, guesses, design, N)

# 2. Three strata of consecutive rows, 9, 6 and 5 labels; with and without finite population correction.
sizes <- c(50, 30, 20)
counts <- c(9, 6, 5)
starts <- c(0, 50, 80)
strata <- data.frame(stratum = rep(0:2, counts), turn = sequence(counts))
strata$row <- starts[strata$stratum + 1] + (strata$turn * 7) %% sizes[strata$stratum + 1]
strata$failed <- outcome(strata$row)
strata$loss <- (guesses[strata$row + 1] + ((strata$row * 7) %% 13) / 10)^2
strata$guess <- guesses[strata$row + 1]
strata$size <- sizes[strata$stratum + 1]
strata$chance <- counts[strata$stratum + 1] / strata$size
design <- svydesign(ids = ~1, strata = ~stratum, fpc = ~size, data = strata)
stratified <- answers("stratified", strata, guesses, design, sizes)
design <- svydesign(ids = ~1, strata = ~stratum, probs = ~chance, data = strata)
with_replacement <- answers("with_replacement", strata, guesses, design, sizes)

# 3. Grades in the same strata, calibrated to what two judges say of every input.
kind <- ((row * 17) %% 23) / 22
strict <- pmin(kind, ((row * 31) %% 19) / 18)
strata$grade <- round(4 * pmin(1, pmax(0, 1 - kind[strata$row + 1] + ((strata$row * 11) %% 7 - 3) / 10))) / 4
strata$kind <- kind[strata$row + 1]
strata$strict <- strict[strata$row + 1]
design <- svydesign(ids = ~1, strata = ~stratum, fpc = ~size, data = strata)
assisted <- calibrate(design, ~kind + strict, c(`(Intercept)` = N, kind = sum(kind), strict = sum(strict)),
                      calfun = "linear", epsilon = tight$epsilon, maxit = tight$maxit)
two_judges <- case("two_judges",
  sizes = sizes, rows = strata$row, strata = strata$stratum, grades = strata$grade, kind = kind, strict = strict,
  mean = coef(svymean(~grade, assisted)), standard_error = SE(svymean(~grade, assisted)))

made_by <- case("made by",
  survey = as.character(packageVersion("survey")), R = paste(R.version$major, R.version$minor, sep = "."))
cat("{", paste(c(made_by, simple_random, stratified, with_replacement, two_judges), collapse = ",\n"), "}\n", sep = "\n")
