# Windows itself.

function Get-OsSection {
    $os = Get-CimInstance -ClassName Win32_OperatingSystem
    $build = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    [pscustomobject]@{
        Caption        = $os.Caption
        Version        = $os.Version
        BuildNumber    = $os.BuildNumber
        UBR            = Get-Field -InputObject $build -Name UBR
        CSName         = $os.CSName
        LastBootUpTime = Format-Time -Time $os.LastBootUpTime
        InstallDate    = Format-Time -Time $os.InstallDate
        OSLanguage     = $os.OSLanguage
        SystemTime     = Format-Time -Time $os.LocalDateTime
    }
}
