# The self-test: reads every section, measures its time, and checks whether this Windows provides what the helper requires.

function Get-SelfTestTable {
    [ordered]@{
        platform = 'Get-PlatformAnswer'
        class    = 'Get-ClassAnswer'
        cmdlet   = 'Get-CmdletAnswer'
        hns      = 'Get-HnsAnswer'
        task     = 'Get-TaskAnswer'
        ovs      = 'Get-OvsAnswer'
        'hyper-v' = 'Get-SwitchAnswer'
        question = 'Get-QuestionAnswer'
    }
}

# Calls back with each answer. Sections come first and one at a time, so that their times are those of a cold start.
function Invoke-SelfTest {
    param(
        [Parameter(Mandatory = $true)][string]$ScriptPath,
        [Parameter(Mandatory = $true)][int]$DeadlineMs,
        [Parameter(Mandatory = $true)][scriptblock]$OnAnswer
    )
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $pool = New-WorkPool -ScriptPath $ScriptPath
    foreach ($name in @((Get-SectionTable).Keys | Where-Object -FilterScript { $_ -ne 'probes' })) {
        $work = Start-Work -Pool $pool -Function Read-Section -Parameters @{ Name = $name } -TimeoutMs (Get-TimeLeft -Clock $clock -DeadlineMs $DeadlineMs)
        $result = Wait-Work -Pool $pool -Work $work
        $ms = $work.Watch.ElapsedMilliseconds
        if ($null -ne $result.Error) {
            $answer = New-Answer -Area section -Name $name -Result failed -Seen "$($result.Error.kind): $($result.Error.message)"
            # A feature that is not installed is not a problem of the helper.
            if ($result.Error.kind -eq 'NotInstalled') { $answer.result = 'info' }
        } else {
            $answer = New-Answer -Area section -Name $name -Result ok -Seen "$($result.Value.Length) characters"
        }
        & $OnAnswer $answer $ms
    }
    $table = Get-SelfTestTable
    foreach ($area in $table.Keys) {
        $work = Start-Work -Pool $pool -Function $table[$area] -Parameters @{} -TimeoutMs (Get-TimeLeft -Clock $clock -DeadlineMs $DeadlineMs)
        $result = Wait-Work -Pool $pool -Work $work
        $ms = $work.Watch.ElapsedMilliseconds
        foreach ($answer in @($result.Value | Where-Object -FilterScript { $null -ne $_ })) { & $OnAnswer $answer $ms }
        if ($null -ne $result.Error) { & $OnAnswer (New-Answer -Area $area -Name $area -Result failed -Seen "$($result.Error.kind): $($result.Error.message)") $ms }
    }
}

# At most a minute each, within the total.
function Get-TimeLeft {
    param([Parameter(Mandatory = $true)][System.Diagnostics.Stopwatch]$Clock, [Parameter(Mandatory = $true)][int]$DeadlineMs)
    [int][math]::Max(100, [math]::Min(60000, $DeadlineMs - $Clock.ElapsedMilliseconds))
}

function Invoke-SelfTestRequest {
    param([psobject]$Writer, [psobject]$Request, [string]$ScriptPath, [int]$DeadlineMs)
    Invoke-SelfTest -ScriptPath $ScriptPath -DeadlineMs $DeadlineMs -OnAnswer {
        param([psobject]$Answer, [long]$Milliseconds)
        Write-Message -Writer $Writer -Message (ConvertTo-AnswerLine -Answer $Answer -Milliseconds $Milliseconds)
    }
}

function ConvertTo-AnswerLine {
    param([Parameter(Mandatory = $true)][psobject]$Answer, [Parameter(Mandatory = $true)][long]$Milliseconds)
    $line = [ordered]@{ type = 'selftest' }
    foreach ($property in $Answer.PSObject.Properties) { $line[$property.Name] = $property.Value }
    $line.ms = $Milliseconds
    $line
}

# -SelfTest: writes the document for an issue to standard output, or to a file and a table to standard output.
function Write-SelfTest {
    param([Parameter(Mandatory = $true)][string]$ScriptPath, [string]$OutFile)
    $answers = New-Object -TypeName System.Collections.Generic.List[object]
    $writer = New-LineWriter
    Invoke-SelfTest -ScriptPath $ScriptPath -DeadlineMs 900000 -OnAnswer {
        param([psobject]$Answer, [long]$Milliseconds)
        $line = ConvertTo-AnswerLine -Answer $Answer -Milliseconds $Milliseconds
        $line.Remove('type')
        $answers.Add([pscustomobject]$line)
        if ($OutFile -ne '') { Write-Line -Writer $writer -Json ('{0,-8} {1,-9} {2} {3}' -f $Answer.result, $Answer.area, $Answer.name, (Get-Field -InputObject $Answer -Name seen)) }
    }
    $text = ConvertTo-JsonText -Value ([pscustomobject][ordered]@{
            apiVersion = 'kubectl-win/v1'
            kind       = 'SelfTest'
            testedAt   = Format-Time -Time ([datetime]::UtcNow)
            scriptHash = Get-Sha256 -Bytes ([System.IO.File]::ReadAllBytes($ScriptPath))
            answers    = $answers.ToArray()
        })
    if ($OutFile -eq '') {
        Write-Line -Writer $writer -Json $text
        return
    }
    $path = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($OutFile)
    [System.IO.File]::WriteAllText($path, $text + "`n", (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false))
}
